// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* post_processing_stage.hpp - see ../core/rpicam_app.hpp */
#pragma once

#include <map>
#include <string>

#include <boost/property_tree/ptree.hpp>

#include "core/rpicam_app.hpp"

class PostProcessingStage
{
public:
	PostProcessingStage(RPiCamApp *app) : app_(app) {}
	virtual ~PostProcessingStage() = default;
	virtual char const *Name() const = 0;
	virtual void Read(boost::property_tree::ptree const &) {}
	virtual void Configure() {}
	virtual void Start() {}
	// true: the frame is dropped
	virtual bool Process(CompletedRequestPtr &request) = 0;
	virtual void Stop() {}
	virtual void Teardown() {}

protected:
	RPiCamApp *app_;
};

typedef PostProcessingStage *(*StageCreateFunc)(RPiCamApp *app);

inline std::map<std::string, StageCreateFunc> &GetPostProcessingStages()
{
	static std::map<std::string, StageCreateFunc> stages;
	return stages;
}

struct RegisterStage {
	RegisterStage(char const *name, StageCreateFunc create)
	{
		GetPostProcessingStages()[name] = create;
	}
};
