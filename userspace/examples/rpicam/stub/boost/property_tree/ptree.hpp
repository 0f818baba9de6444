// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ptree.hpp - see ../../core/rpicam_app.hpp */
#pragma once

#include <map>
#include <sstream>
#include <string>

namespace boost {
namespace property_tree {

class ptree
{
public:
	void put(std::string const &key, std::string const &value)
	{
		values_[key] = value;
	}
	template <typename T> T get(std::string const &key, T missing) const
	{
		auto it = values_.find(key);
		T value;
		if (it == values_.end() ||
		    !(std::istringstream(it->second) >> value))
			return missing;
		return value;
	}

private:
	std::map<std::string, std::string> values_;
};

} // namespace property_tree
} // namespace boost
