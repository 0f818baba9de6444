// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * rpicam_app.hpp - what nst_stage.cpp needs of rpicam-apps, where those are
 * not: the same names and types, and nothing behind them. Written from the
 * interface; with rpicam-apps in place this folder is not on the include path.
 */
#pragma once

#include <any>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <libcamera/control_ids.h>

class Metadata
{
public:
	template <typename T> void Set(std::string const &tag, T &&value)
	{
		data_[tag] = std::forward<T>(value);
	}
	template <typename T> int Get(std::string const &tag, T &value) const
	{
		auto it = data_.find(tag);
		if (it == data_.end())
			return -1;
		value = std::any_cast<T>(it->second);
		return 0;
	}

private:
	std::map<std::string, std::any> data_;
};

struct CompletedRequest {
	unsigned int sequence = 0;
	libcamera::ControlList metadata;
	Metadata post_process_metadata;
};

using CompletedRequestPtr = std::shared_ptr<CompletedRequest>;

class RPiCamApp
{
};
