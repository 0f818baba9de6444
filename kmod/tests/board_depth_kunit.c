// SPDX-License-Identifier: GPL-2.0-only
/*
 * board_depth_kunit.c - line and supply against a plain statement of gates
 */
#include <kunit/test.h>
#include <linux/module.h>

/* Pure, and small: tested as a part of the suite. */
#include "../nst-board-depth.c"

static bool gate_exists(const struct nst_board_depths *depths, u32 gate)
{
	return gate == NST_GATE_RUN || gate == (u32)depths->line ||
	       gate == (u32)depths->supply;
}

/* Every pair of depths: valid ones are those whose supply is not shallower. */
static void valid_pairs(struct kunit *test)
{
	u32 line, supply;

	for (line = 0; line <= NST_GATE_COUNT; line++) {
		for (supply = 0; supply <= NST_GATE_COUNT; supply++) {
			const struct nst_board_depths depths = {
				.line = (enum nst_gate)line,
				.supply = (enum nst_gate)supply,
			};
			u32 want = line < NST_GATE_COUNT &&
				   supply < NST_GATE_COUNT &&
				   (!supply || supply >= line);

			KUNIT_EXPECT_EQ(test,
					(u32)nst_board_depths_valid(&depths),
					want);
		}
	}
}

/* A gate that is set is the one that is read back, and it has its bit. */
static void set_is_read_back(struct kunit *test)
{
	static const u32 bits[] = {
		0, NST_CAP_GATE_STANDBY, NST_CAP_GATE_CLEARED, NST_CAP_GATE_OFF,
	};
	u32 line, supply, gate;

	for (line = 0; line < NST_GATE_COUNT; line++) {
		for (supply = 0; supply < NST_GATE_COUNT; supply++) {
			const struct nst_board_depths depths = {
				.line = (enum nst_gate)line,
				.supply = (enum nst_gate)supply,
			};

			if (supply && supply < line)
				continue;
			KUNIT_EXPECT_EQ(test, nst_board_depths_caps(&depths),
					bits[line] | bits[supply]);
			for (gate = 0; gate < NST_GATE_COUNT; gate++) {
				struct nst_board_levels levels = {};
				int err;

				err = nst_board_depths_levels(&depths,
							      (enum nst_gate)
							      gate, &levels);
				if (!gate_exists(&depths, gate)) {
					KUNIT_EXPECT_EQ(test, err,
							-EOPNOTSUPP);
					continue;
				}
				KUNIT_ASSERT_EQ(test, err, 0);
				KUNIT_EXPECT_EQ(test, gate, (u32)
					nst_board_depths_gate(&depths,
							      &levels));
				/* never a line driven into a dead part */
				if (line && !levels.supply)
					KUNIT_EXPECT_FALSE(test, levels.line);
			}
		}
	}
}

/* A supply that somebody else keeps on, a line that is stuck. */
static void hardware_of_its_own_mind(struct kunit *test)
{
	const struct nst_board_depths depths = {
		.line = NST_GATE_STANDBY,
		.supply = NST_GATE_OFF,
	};
	const struct nst_board_levels kept_on = { .supply = true };
	const struct nst_board_levels stuck = { .line = true, .supply = true };
	const struct nst_board_levels backfed = { .line = true };

	KUNIT_EXPECT_EQ(test, (int)nst_board_depths_gate(&depths, &kept_on),
			(int)NST_GATE_STANDBY);
	KUNIT_EXPECT_EQ(test, (int)nst_board_depths_gate(&depths, &stuck),
			(int)NST_GATE_RUN);
	KUNIT_EXPECT_EQ(test, (int)nst_board_depths_gate(&depths, &backfed),
			(int)NST_GATE_OFF);
}

static struct kunit_case board_depth_cases[] = {
	KUNIT_CASE(valid_pairs),
	KUNIT_CASE(set_is_read_back),
	KUNIT_CASE(hardware_of_its_own_mind),
	{}
};

static struct kunit_suite board_depth_suite = {
	.name = "nst-board-depth",
	.test_cases = board_depth_cases,
};

kunit_test_suite(board_depth_suite);

MODULE_DESCRIPTION("gates of a board's line and supply");
MODULE_LICENSE("GPL");
