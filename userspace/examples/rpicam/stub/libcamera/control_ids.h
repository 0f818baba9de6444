/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * control_ids.h - see ../core/rpicam_app.hpp: controls with the types that
 * libcamera gives them
 */
#pragma once

#include <any>
#include <cstdint>
#include <map>
#include <optional>

namespace libcamera {

template <typename T> struct Control {
	unsigned int id;
};

class ControlList
{
public:
	template <typename T>
	std::optional<T> get(Control<T> const &control) const
	{
		auto it = values_.find(control.id);
		if (it == values_.end())
			return std::nullopt;
		return std::any_cast<T>(it->second);
	}
	template <typename T> void set(Control<T> const &control, T value)
	{
		values_[control.id] = value;
	}

private:
	std::map<unsigned int, std::any> values_;
};

namespace controls {

static constexpr Control<int32_t> ExposureTime{ 1 };
static constexpr Control<float> AnalogueGain{ 2 };
static constexpr Control<float> Lux{ 3 };
static constexpr Control<float> SensorTemperature{ 4 };
static constexpr Control<int64_t> FrameDuration{ 5 };

} // namespace controls
} // namespace libcamera
