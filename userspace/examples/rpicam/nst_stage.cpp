// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * nst_stage.cpp - a post-processing stage of rpicam-apps that talks to nstd
 *
 * It reports what the metadata of each frame say (exposure, gain, light, frame
 * time, temperature of the sensor) and puts the verdict of nstd beside them,
 * as "nst.deliver" and "nst.snr_db", for the stages behind it. Add it to the
 * sources of rpicam-apps, link with libnst, and name it in the file given by
 * --post-process-file:
 *
 *	{ "nst": { "sensor": "cam0", "min_snr_db": 22 } }
 *
 * A stage must not hold frames up: without nstd, or when it does not answer
 * within a few milliseconds, frames pass as they are.
 */
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>

#include <libcamera/control_ids.h>
#include <libcamera/stream.h>
#include <nst/libnst.h>

#include "core/rpicam_app.hpp"
#include "post_processing_stages/post_processing_stage.hpp"

namespace controls = libcamera::controls;

#define NAME "nst"

class NstStage : public PostProcessingStage
{
public:
	NstStage(RPiCamApp *app) : PostProcessingStage(app) {}
	~NstStage() override { nst_close(conn_); }

	char const *Name() const override { return NAME; }
	void Read(boost::property_tree::ptree const &params) override;
	void Start() override;
	bool Process(CompletedRequestPtr &request) override;
	void Stop() override;

private:
	static constexpr int timeout_ms = 10;
	static constexpr float no_reading = -60.0f;

	void Report(libcamera::ControlList const &metadata);
	void Complain(char const *what);

	struct nst_conn *conn_ = nullptr;
	std::string sensor_;
	double min_snr_db_ = NAN;
	bool complained_ = false;
};

void NstStage::Read(boost::property_tree::ptree const &params)
{
	sensor_ = params.get<std::string>("sensor", "cam0");
	min_snr_db_ = params.get<double>("min_snr_db", NAN);
}

void NstStage::Complain(char const *what)
{
	if (!complained_)
		std::cerr << "nst: " << what << std::endl;
	complained_ = true;
}

void NstStage::Start()
{
	struct nst_task task;

	if (nst_connect(&conn_, nullptr)) {
		conn_ = nullptr;
		Complain("nstd does not answer, frames pass as they are");
		return;
	}
	nst_task_init(&task, "rpicam", sensor_.c_str(), NST_KIND_VISION);
	task.min_snr_db = min_snr_db_;
	if (nst_task_set(conn_, &task, nullptr))
		Complain(nst_error(conn_));
	nst_set_timeout(conn_, timeout_ms);
}

void NstStage::Report(libcamera::ControlList const &metadata)
{
	auto exposure = metadata.get(controls::ExposureTime);
	auto gain = metadata.get(controls::AnalogueGain);
	auto lux = metadata.get(controls::Lux);
	auto temp = metadata.get(controls::SensorTemperature);
	auto frame = metadata.get(controls::FrameDuration);
	struct nst_report_spec report;

	nst_report_init(&report, sensor_.c_str());
	if (exposure)
		report.exposure_us = static_cast<uint32_t>(*exposure);
	if (gain)
		report.iso = static_cast<uint32_t>(std::lround(100 * *gain));
	if (lux)
		report.lux_milli =
			static_cast<uint32_t>(std::lround(1000 * *lux));
	if (frame)
		report.frame_us = static_cast<uint32_t>(*frame);
	// 0.0 is "no reading yet" and is nstd's to judge
	if (temp && *temp > no_reading)
		report.temp_mc =
			static_cast<int32_t>(std::lround(1000 * *temp));
	if (nst_frame_report(conn_, &report))
		Complain(nst_error(conn_));
}

bool NstStage::Process(CompletedRequestPtr &request)
{
	struct nst_snapshot now;

	if (!conn_)
		return false;
	Report(request->metadata);
	if (nst_snapshot(conn_, sensor_.c_str(), &now)) {
		Complain(nst_error(conn_));
	} else if (now.has_frame) {
		request->post_process_metadata.Set("nst.deliver",
						   now.frame.deliver);
		if (now.frame.has_snr)
			request->post_process_metadata.Set(
				"nst.snr_db", now.frame.snr_cdb / 100.0);
	}
	return false;	// the frame goes on
}

void NstStage::Stop()
{
	nst_close(conn_);
	conn_ = nullptr;
}

static PostProcessingStage *Create(RPiCamApp *app)
{
	return new NstStage(app);
}

static RegisterStage reg(NAME, &Create);
