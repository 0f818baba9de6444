// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_gpio.c - lines of the host, and a stack that one of them gates
 *
 * gpio_lib.h is ours here: two chips whose lines are in shared memory, so
 * that the guard, which is another process, drives them as well. What the
 * versions of libgpiod do is seen on the emulated stack's chip
 * (tests/selftests/gpio_line.sh).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gatedev.h"
#include "nstd/tick.h"
#include "ktap.h"
#include "nstd_fixture.h"

/* -------------------------------------------------------------- two chips */

#define LINES 8

struct mock_line {
	char name[32];
	char consumer[32];
	bool used;
	bool output;
	bool high;
	int err;
	unsigned int sets;
	unsigned int takes;
};

static struct mock {
	struct mock_line line[2][LINES];
	bool chip_err;		/* the second one cannot be read */
	bool slow_release;	/* the kernel takes its time with one */
} *mock;

static const char *const labels[] = { "soc-pinctrl", "i2c-expander" };

/* Called when the gate line is driven: the stack behind it. */
static void (*on_set)(bool active);

static int chip_of(const char *path)
{
	const char *name = strrchr(path, '/');

	return strcmp(name, "/gpiochip0") ? 1 : 0;
}

int nst_gpio_lib_lines(const char *path,
		       int (*fn)(const struct nst_gpio_info *info, void *arg),
		       void *arg)
{
	int chip = chip_of(path), r = 0;

	if (chip && mock->chip_err)
		return -EACCES;
	for (unsigned int i = 0; i < LINES && !r; i++) {
		const struct mock_line *l = &mock->line[chip][i];
		struct nst_gpio_info info = {
			.chip = chip ? "gpiochip1" : "gpiochip0",
			.label = labels[chip], .name = l->name,
			.consumer = l->consumer, .offset = i, .used = l->used,
		};

		r = fn(&info, arg);
	}
	return r;
}

int nst_gpio_lib_take(struct nst_gpio_lib *l, const char *path,
		      unsigned int offset, bool active_low)
{
	struct mock_line *line = &mock->line[chip_of(path)][offset];

	*l = (struct nst_gpio_lib){ 0 };
	line->takes++;
	if (line->err)
		return line->err;
	if (line->used)
		return -EBUSY;
	line->used = line->output = true;
	strcpy(line->consumer, "nst");
	*l = (struct nst_gpio_lib){ .line = line, .active_low = active_low };
	return 0;
}

int nst_gpio_lib_set(struct nst_gpio_lib *l, bool active)
{
	struct mock_line *line = l->line;

	if (line->err)
		return line->err;
	line->high = active != l->active_low;
	line->sets++;
	if (on_set && line == &mock->line[0][3])
		on_set(active);
	return 0;
}

int nst_gpio_lib_get(struct nst_gpio_lib *l)
{
	struct mock_line *line = l->line;

	return line->err ? line->err : line->high != l->active_low;
}

void nst_gpio_lib_release(struct nst_gpio_lib *l)
{
	struct mock_line *line = l->line;

	if (line) {
		line->used = false;
		line->consumer[0] = '\0';
	}
	*l = (struct nst_gpio_lib){ 0 };
}

static char root[] = "/tmp/nst-gpio-XXXXXX";

static void reset(void)
{
	memset(mock, 0, sizeof(*mock));
	on_set = NULL;
	strcpy(mock->line[0][3].name, "vpu-run");
	strcpy(mock->line[1][0].name, "flash");
	strcpy(mock->line[0][5].name, "flash");
	strcpy(mock->line[1][6].name, "soc-pinctrl:7");
}

/* Three files that are there to be found. */
static void make_root(void)
{
	static const char *const names[] = { "gpiochip0", "gpiochip1",
					     "gpiomem" };
	char path[64];

	if (!mkdtemp(root))
		abort();
	snprintf(path, sizeof(path), "%s/dev", root);
	mkdir(path, 0700);
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/dev/%s", root, names[i]);
		close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	}
}

static void remove_root(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", root);
	if (system(command))
		printf("# %s is left\n", root);
}

/* ------------------------------------------------------------------ lines */

static void found(void)
{
	struct nst_gpio g;
	char why[192];

	reset();
	mock->line[0][3].high = true;
	EXPECT(!nst_gpio_open(&g, root, "vpu-run", false, false, why,
			      sizeof(why)), "%s", why);
	EXPECT(!strcmp(g.what, "vpu-run (gpiochip0 line 3)"), "%s", g.what);
	EXPECT(mock->line[0][3].output && !mock->line[0][3].sets,
	       "taken as it was");
	EXPECT(nst_gpio_get(&g) == 1, " ");
	EXPECT(!nst_gpio_set(&g, false) && !mock->line[0][3].high, " ");
	EXPECT(!nst_gpio_set(&g, true) && mock->line[0][3].high, " ");
	nst_gpio_close(&g);
	EXPECT(!mock->line[0][3].high && !mock->line[0][3].used,
	       "not left in its safe level");
	nst_gpio_close(&g);

	/* by the label of the chip; a name that looks like one is a name */
	EXPECT(!nst_gpio_open(&g, root, "i2c-expander:2", false, true, why,
			      sizeof(why)), "%s", why);
	EXPECT(mock->line[1][2].used, " ");
	nst_gpio_close(&g);
	EXPECT(mock->line[1][2].high, "safe is active here");
	EXPECT(nst_gpio_open(&g, root, "soc-pinctrl:7", false, false, why,
			     sizeof(why)) == -ENOTUNIQ, " ");
	EXPECT(strstr(why, "gpiochip0 line 7") &&
	       strstr(why, "gpiochip1 line 6"), "%s", why);
}

static void active_low(void)
{
	struct nst_gpio g;
	char why[192];

	reset();
	mock->line[0][3].high = true;
	EXPECT(!nst_gpio_open(&g, root, "vpu-run", true, false, why,
			      sizeof(why)), "%s", why);
	EXPECT(nst_gpio_get(&g) == 0 && mock->line[0][3].high, " ");
	EXPECT(!nst_gpio_set(&g, true) && !mock->line[0][3].high, " ");
	nst_gpio_close(&g);
	EXPECT(mock->line[0][3].high, "not active is high");
}

static void not_found(void)
{
	struct nst_gpio g;
	char why[192], many[100];

	reset();
	EXPECT(nst_gpio_open(&g, root, "flash", false, false, why,
			     sizeof(why)) == -ENOTUNIQ, " ");
	EXPECT(strstr(why, "gpiochip0 line 5") &&
	       strstr(why, "gpiochip1 line 0"), "%s", why);
	EXPECT(!mock->line[0][5].takes && !mock->line[1][0].takes,
	       "touched one of two");
	EXPECT(nst_gpio_open(&g, root, "nothing", false, false, why,
			     sizeof(why)) == -ENODEV, " ");
	EXPECT(strstr(why, "'nothing'"), "%s", why);
	EXPECT(nst_gpio_open(&g, root, "soc-pinctrl:8", false, false, why,
			     sizeof(why)) == -ENODEV, " ");
	EXPECT(nst_gpio_open(&g, root, "", false, false, why,
			     sizeof(why)) == -EINVAL, " ");
	memset(many, 'x', sizeof(many));
	many[99] = '\0';
	EXPECT(nst_gpio_open(&g, root, many, false, false, why,
			     sizeof(why)) == -EINVAL, " ");
	EXPECT(nst_gpio_open(&g, "/nowhere", "vpu-run", false, false, why,
			     sizeof(why)) == -ENODEV, " ");

	mock->line[0][3].used = true;
	strcpy(mock->line[0][3].consumer, "regulator-vpu");
	EXPECT(nst_gpio_open(&g, root, "vpu-run", false, false, why,
			     sizeof(why)) == -EBUSY, " ");
	EXPECT(strstr(why, "'regulator-vpu'"), "%s", why);
	mock->line[0][3].used = false;

	/* A chip that may not be read hides none of the others' lines. */
	mock->chip_err = true;
	EXPECT(!nst_gpio_open(&g, root, "flash", false, false, why,
			      sizeof(why)), "%s", why);
	nst_gpio_close(&g);
	EXPECT(nst_gpio_open(&g, root, "nothing", false, false, why,
			     sizeof(why)) == -EACCES, "%s", why);
	mock->line[0][3].err = -EIO;
	EXPECT(nst_gpio_open(&g, root, "vpu-run", false, false, why,
			     sizeof(why)) == -EIO, "%s", why);
	EXPECT(nst_gpio_set(&g, true) == -ENODEV && nst_gpio_get(&g) == -ENODEV,
	       "one that is closed");
}

/* ------------------------------------------------------------------ guard */

/* Waits for what another process does to the line, without a clock. */
static bool becomes(volatile bool *what, bool want)
{
	for (int i = 0; i < 5000 && *what != want; i++)
		usleep(1000);
	return *what == want;
}

/* A program that holds the line and is killed: the guard acts. */
static void guard_after_kill(void)
{
	struct mock_line *line;
	struct nst_gpio g;
	int fds[2], status;
	char why[192], byte;
	pid_t pid;

	reset();
	line = &mock->line[0][3];
	EXPECT(!pipe(fds), " ");
	pid = fork();
	if (!pid) {
		close(fds[0]);
		if (nst_gpio_open(&g, root, "vpu-run", false, false, why,
				  sizeof(why)) || nst_gpio_set(&g, true))
			_exit(1);
		if (write(fds[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(fds[1]);
	EXPECT(read(fds[0], &byte, 1) == 1 && line->high, " ");
	/* The kernel lets go of the line a moment after the process ended. */
	kill(pid, SIGKILL);
	EXPECT(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status), " ");
	usleep(20000);
	EXPECT(line->high, "not before the line is let go");
	line->used = false;
	EXPECT(becomes(&line->high, false), "the VPU runs on");
	EXPECT(becomes(&line->used, false), "and is held");
	/* It holds nothing of ours: the pipe ends with the program. */
	EXPECT(!read(fds[0], &byte, 1), " ");
	close(fds[0]);
}

/* In order it is stopped before it could act. */
static void guard_after_close(void)
{
	struct mock_line *line;
	struct nst_gpio g;
	char why[192];
	pid_t guard;

	reset();
	line = &mock->line[0][3];
	EXPECT(!nst_gpio_open(&g, root, "vpu-run", false, false, why,
			      sizeof(why)), "%s", why);
	guard = g.guard;
	EXPECT(guard > 0 && !kill(guard, SIGTERM) && !kill(guard, SIGHUP) &&
	       !kill(guard, SIGINT) && !kill(guard, 0), " ");
	nst_gpio_close(&g);
	EXPECT(kill(guard, 0) && errno == ESRCH, "it is left behind");
	line->high = true;
	usleep(20000);
	EXPECT(line->high && line->takes == 1, "it acted");
}

/* ---------------------------------------------------------------- a stack */

static struct nst_plantdev stack;
static struct nst_gatedev gate;
static struct nst_governor gov;
static struct nst_profile profile;

/* What the line does to the stack, which the device inside knows nothing of. */
static void gate_stack(bool active)
{
	const struct nst_dev_gate to = {
		.gate = active ? NST_GATE_RUN : NST_GATE_STANDBY,
		.placement = active ? NST_NEAR : NST_PAUSED,
	};
	struct nst_dev_applied applied;

	if (stack.open)
		stack.dev.ops->set_gate(&stack.dev, &to, &applied);
}

static const struct nst_dev_ops *plant_ops;
static struct nst_dev_ops ungated_ops;
static bool has_gate;

static int ungated_info(struct nst_dev *dev, struct nst_dev_info *ret)
{
	int r = plant_ops->info(dev, ret);

	if (!has_gate)
		ret->gate_power_mw[NST_GATE_STANDBY] = 0;
	return r;
}

static int open_gated(const char *line, const char *strobe, char *why,
		      size_t why_size)
{
	struct nst_gatedev_config config = { 0 };
	struct nst_dev *inner;
	int r;

	snprintf(config.gate_line, sizeof(config.gate_line), "%s", line);
	snprintf(config.strobe_line, sizeof(config.strobe_line), "%s", strobe);
	EXPECT(!nst_plantdev_open(&stack, &inner), " ");
	if (inner->ops != &ungated_ops)
		plant_ops = inner->ops;
	ungated_ops = *plant_ops;
	ungated_ops.info = ungated_info;
	stack.dev.ops = &ungated_ops;
	r = nst_gatedev_open(&gate, &stack.dev, root, &config, why, why_size);
	return r;
}

static void gated_begin(void)
{
	struct nst_plantdev_config config = fixture_stack("s");

	reset();
	mock->line[0][3].high = true;
	has_gate = false;
	config.latency_us = 0;
	fixture_profile(&profile, "version: 1\nsensors:\n" SENSOR_YAML("s", "")
			"tasks:\n" VISION_YAML("v", "s", "stop-capture-go",
					       "20"));
	EXPECT(!nst_gov_init(&gov, &profile, 0), " ");
	EXPECT(!nst_plantdev_init(&stack, &config), " ");
}

static void gated_open(void)
{
	char why[192];

	gated_begin();
	has_gate = true;
	EXPECT(open_gated("vpu-run", "", why, sizeof(why)) == -EEXIST, " ");
	EXPECT(strstr(why, "of its own"), "%s", why);
	EXPECT(!stack.open && !mock->line[0][3].takes, " ");
	has_gate = false;
	EXPECT(open_gated("vpu-run", "flash", why, sizeof(why)) == -ENOTUNIQ,
	       "%s", why);
	EXPECT(!stack.open && !mock->line[0][3].used, "left half open");
	EXPECT(!open_gated("vpu-run", "i2c-expander:2", why, sizeof(why)),
	       "%s", why);
	gate.dev.ops->close(&gate.dev);
	EXPECT(!stack.open && !mock->line[0][3].used &&
	       !mock->line[1][2].used, " ");
	EXPECT(gate.dev.ops->fd(&gate.dev) < 0, " ");
	nst_plantdev_deinit(&stack);
}

/* At once, at a boundary by the timer, and clamped. */
static void gated_edges(void)
{
	struct nst_dev_gate to = { .gate = NST_GATE_STANDBY,
				   .placement = NST_PAUSED };
	struct nst_dev *dev = &gate.dev;
	struct nst_dev_applied applied;
	struct nst_dev_event event[8];
	struct nst_dev_state state;
	struct pollfd pfd = { .events = POLLIN };
	bool seen = false;
	char why[192];
	int count;

	gated_begin();
	EXPECT(!open_gated("vpu-run", "i2c-expander:2", why, sizeof(why)),
	       "%s", why);
	nst_plantdev_advance(&stack, 3);
	EXPECT(!dev->ops->sample(dev, &state) && state.gate == NST_GATE_RUN,
	       " ");
	EXPECT(!dev->ops->set_gate(dev, &to, &applied) &&
	       applied.gate == NST_GATE_STANDBY && !applied.clamped, " ");
	EXPECT(!mock->line[0][3].high && mock->line[1][2].high, " ");
	count = dev->ops->events(dev, event, 8);
	for (int i = 0; i < count; i++)
		seen = seen || (event[i].type == NST_DEV_GATE &&
				event[i].gate == NST_GATE_STANDBY);
	EXPECT(seen, "the change is told");
	EXPECT(!dev->ops->sample(dev, &state) &&
	       state.gate == NST_GATE_STANDBY &&
	       state.gate_prev == NST_GATE_RUN &&
	       state.gate_since_us <= state.now_us, " ");

	/* Far ahead: not yet. Then a request for one that runs: the next. */
	to = (struct nst_dev_gate){ .gate = NST_GATE_RUN,
				    .placement = NST_NEAR,
				    .frame_seq = state.frame_seq + 1000 };
	EXPECT(!dev->ops->set_gate(dev, &to, &applied) &&
	       applied.frame_seq == to.frame_seq, " ");
	EXPECT(dev->ops->events(dev, event, 8) >= 0 && !mock->line[0][3].high,
	       " ");
	to.frame_seq = state.frame_seq;
	EXPECT(!dev->ops->set_gate(dev, &to, &applied) &&
	       applied.frame_seq == state.frame_seq + 1, " ");
	EXPECT(!mock->line[0][3].high, "in mid-period");
	pfd.fd = dev->ops->fd(dev);
	for (int i = 0; i < 100 && !mock->line[0][3].high; i++) {
		EXPECT(poll(&pfd, 1, 10000) == 1, "nothing wakes us up");
		EXPECT(dev->ops->events(dev, event, 8) >= 0, " ");
	}
	EXPECT(mock->line[0][3].high && !mock->line[1][2].high, " ");
	EXPECT(!dev->ops->sample(dev, &state) && state.gate == NST_GATE_RUN,
	       " ");

	/* A cooling device at its end. */
	gate.state.bound_permyriad = 0;
	to = (struct nst_dev_gate){ .gate = NST_GATE_RUN };
	EXPECT(!dev->ops->set_gate(dev, &to, &applied) && applied.clamped &&
	       applied.gate == NST_GATE_STANDBY && !mock->line[0][3].high,
	       " ");

	/* The chip goes: so has the device, as far as the daemon knows. */
	mock->line[0][3].err = -ENODEV;
	EXPECT(dev->ops->set_gate(dev, &to, &applied) == -ENODEV, " ");
	mock->line[0][3].err = 0;
	dev->ops->close(dev);
	EXPECT(!mock->line[0][3].high, " ");
	nst_plantdev_deinit(&stack);
}

/* The governor on it: as cool as with a gate of the driver's. */
static void gated_governed(void)
{
	struct nst_dev *dev = &gate.dev;
	struct nst_tick t;
	char why[192];
	u32 limit_ms;

	gated_begin();
	EXPECT(!open_gated("vpu-run", "", why, sizeof(why)), "%s", why);
	EXPECT(!dev->ops->lease(dev, NST_DEV_TAKE, 0, &limit_ms), " ");
	on_set = gate_stack;
	for (int i = 0; i < 300 * 15; i++) {
		nst_plantdev_advance(&stack, 1);
		EXPECT(!nst_tick(&gov, dev, true, 105000, &t), " ");
		EXPECT(!t.gate_err && !t.limits_err, "%d %d", t.gate_err,
		       t.limits_err);
		/*
		 * The plant's clock jumps from boundary to boundary: what the
		 * timer would do in between is done now.
		 */
		if (gate.pending) {
			gate.pending = false;
			nst_gpio_set(&gate.gate_line, gate.pending_gate ==
				     NST_GATE_RUN);
			gate.gate_prev = gate.gate;
			gate.gate = gate.pending_gate;
			gate.since_us = stack.now_us;
			gate.told = false;
		}
	}
	printf("# %llu delivered, %llu dropped, %llu withheld, %u edges\n",
	       (unsigned long long)gov.stats.delivered,
	       (unsigned long long)gov.stats.dropped,
	       (unsigned long long)gov.stats.withheld,
	       mock->line[0][3].sets);
	EXPECT(gov.stats.delivered > 1500 && gov.stats.dropped > 500, " ");
	EXPECT(gov.stats.withheld < 20, " ");
	EXPECT(mock->line[0][3].sets > 500, " ");
	dev->ops->close(dev);
	nst_plantdev_deinit(&stack);
}

static const struct ktap_test tests[] = {
	{ "found", found },
	{ "active_low", active_low },
	{ "not_found", not_found },
	{ "guard_after_kill", guard_after_kill },
	{ "guard_after_close", guard_after_close },
	{ "gated_open", gated_open },
	{ "gated_edges", gated_edges },
	{ "gated_governed", gated_governed },
};

int main(void)
{
	int r;

	mock = mmap(NULL, sizeof(*mock), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (mock == MAP_FAILED)
		abort();
	make_root();
	r = ktap_main(tests, KTAP_COUNT(tests));
	remove_root();
	return r;
}
