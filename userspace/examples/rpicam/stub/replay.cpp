// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * replay.cpp - runs the stage on a recorded stream, as rpicam-apps would
 *
 *	replay SENSOR SNR_DB metadata.csv
 */
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <thread>

#include "post_processing_stages/post_processing_stage.hpp"

namespace controls = libcamera::controls;

static CompletedRequestPtr request_of(std::string const &line)
{
	auto request = std::make_shared<CompletedRequest>();
	std::istringstream in(line);
	std::string text;

	for (int column = 0; std::getline(in, text, ','); column++) {
		double value = std::atof(text.c_str());

		if (text.empty())
			continue;
		if (column == 0)
			request->metadata.set(controls::ExposureTime,
					      static_cast<int32_t>(value));
		else if (column == 1)
			request->metadata.set(controls::AnalogueGain,
					      static_cast<float>(value));
		else if (column == 2)
			request->metadata.set(controls::Lux,
					      static_cast<float>(value));
		else if (column == 3)
			request->metadata.set(controls::SensorTemperature,
					      static_cast<float>(value));
		else if (column == 4)
			request->metadata.set(controls::FrameDuration,
					      static_cast<int64_t>(value));
	}
	return request;
}

int main(int argc, char **argv)
{
	auto create = GetPostProcessingStages().find("nst");
	boost::property_tree::ptree params;
	unsigned int frames = 0, told = 0;
	std::string line;
	RPiCamApp app;

	if (argc != 4 || create == GetPostProcessingStages().end())
		return 3;
	std::ifstream in(argv[3]);
	if (!in)
		return 2;
	std::unique_ptr<PostProcessingStage> stage(create->second(&app));
	params.put("sensor", argv[1]);
	params.put("min_snr_db", argv[2]);
	stage->Read(params);
	stage->Start();
	while (std::getline(in, line)) {
		bool deliver;

		if (line.empty() || !std::isdigit(line[0]))
			continue;
		auto request = request_of(line);
		request->sequence = frames++;
		if (stage->Process(request))
			return 1;
		told += !request->post_process_metadata.Get("nst.deliver",
							    deliver);
		std::this_thread::sleep_for(std::chrono::milliseconds(10));
	}
	stage->Stop();
	std::cout << frames << " frames, " << told << " with a verdict"
		  << std::endl;
	return 0;
}
