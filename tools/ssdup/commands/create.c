// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup create: a device from an HDD and an SSD, named on the command line or in
 * ssduptab. What to do is in make.c; here is what it is to be done to.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "lib/make.h"
#include "lib/ssds.h"
#include "lib/tab.h"

static int take_option(struct ssdup_ctx *ctx, struct new_device *new, const char **tab, bool *all,
		       int opt)
{
	const char *why = NULL;

	switch (opt) {
	case OPT_HDD:
		new->hdd = optarg;
		break;
	case OPT_SSD:
	case OPT_UUID:
		if (new->ssd_text || (opt == OPT_UUID && new->ssds.nr))
			return bad_usage(ctx, "--uuid names all SSDs of a log");
		if (opt == OPT_UUID)
			new->ssd_text = xprintf("UUID=%s", optarg);
		if (new->ssd_text)
			ssd_names_add(&new->ssds, new->ssd_text);
		else if (!take_ssd(ctx, &new->ssds))
			return ctx->exit;
		break;
	case OPT_MIRROR:
		if (!take_mirror(ctx, &new->ssds))
			return ctx->exit;
		break;
	case OPT_LOST_SSD:
		new->ssds.lost = true;
		break;
	case OPT_POLICY:
		why = new_device_key(new, "policy", optarg);
		break;
	case 'o':
		why = options_to_args(optarg, &new->args, &new->nr_args);
		break;
	case OPT_ADD:
		new->add = true;
		break;
	case OPT_FORMAT:
		new->format = true;
		new->ssds.alone = true;
		break;
	case OPT_FORCE:
		new->give_up.other = true;
		break;
	case OPT_UNSAVED:
		new->give_up.unsaved = true;
		break;
	case OPT_TAKE_OVER:
		new->give_up.host = true;
		break;
	case OPT_WRITTEN:
		new->give_up.written = true;
		break;
	case OPT_OTHER_HDD:
		new->give_up.hdd = true;
		break;
	case OPT_VOLATILE:
		new->give_up.memory = true;
		break;
	case OPT_SAVE:
		new->save = true;
		break;
	case OPT_TAB:
		*tab = optarg;
		break;
	case 'a':
		*all = true;
		break;
	case OPT_NO_WAIT:
		dmdev_dont_wait();
		break;
	case 'q':
		ctx->quiet = true;
		break;
	}
	return why ? bad_usage(ctx, "%s: %s", optarg, why) : EXIT_OK;
}

/* --- From the tab --- */

/* Of the user, for one device. */
struct words {
	bool	take_over;
	bool	lost;
};

static bool ssd_is_shared(const struct tab *tab, const struct tab_entry *e)
{
	const struct tab_entry *o;

	for (o = tab->entry; o < tab->entry + tab->nr; o++)
		if (o != e && !strcmp(o->ssd, e->ssd))
			return true;
	return false;
}

static int make_entry(const struct ssdup_ctx *ctx, const struct tab *tab,
		      const struct tab_entry *e, const struct words *word)
{
	struct new_device new = {
		.name = e->name,
		.hdd = e->hdd,
		.ssds = { .of = { e->ssd }, .nr = 1, .lost = word->lost },
		.args = xstrdup(e->args),
		.nr_args = e->nr_args,
		.give_up.host = word->take_over,
		.tab = true,
		.shared = ssd_is_shared(tab, e),
	};
	int r = make(ctx, &new);

	free(new.args);
	return r;
}

static bool devices_there(const struct tab_entry *e)
{
	struct dev dev;

	if (dev_find_quietly(e->hdd, &dev))
		return false;
	dev_free(&dev);
	return ssds_there(e->ssd);
}

static int make_all(const struct ssdup_ctx *ctx, const struct tab *tab)
{
	int r, worst = tab->faults ? EXIT_FAILED : EXIT_OK;
	const struct words none = { };
	const struct tab_entry *e;

	for (e = tab->entry; e < tab->entry + tab->nr; e++) {
		if (e->noauto)
			continue;
		r = e->nofail && !devices_there(e) ? EXIT_OK : make_entry(ctx, tab, e, &none);
		worst = worst ?: r;
	}
	return worst;
}

/* The entry of that name, or the one with the log of that UUID. */
static const struct tab_entry *entry_for(const struct tab *tab, const char *name, const char *ssd)
{
	const struct tab_entry *e = tab_find(tab, name);

	return e && (!ssd || !strcasecmp(e->ssd, ssd)) ? e : NULL;
}

static int make_from_tab(const struct ssdup_ctx *ctx, const char *name, const char *ssd,
			 const struct words *word)
{
	const struct tab_entry *e;
	struct tab tab;
	int r = tab_read(ctx, &tab);

	if (r)
		return fail(ctx, EXIT_FAILED, ctx->tab, "%s", strerror(-r));
	if (!name) {
		r = make_all(ctx, &tab);
	} else {
		e = entry_for(&tab, name, ssd);
		r = e ? make_entry(ctx, &tab, e, word) :
		    fail(ctx, EXIT_NOT_FOUND, name,
			 "no such device in %s%s; give --hdd and --ssd, or add a line", ctx->tab,
			 ssd ? " with that log" : "");
	}
	tab_free(&tab);
	return r;
}

/* --- The command --- */

int cmd_create(struct ssdup_ctx *ctx, int argc, char **argv)
{
	struct new_device new = { .args = xstrdup("") };
	const char *tab = NULL;
	bool all = false, whole;
	struct words word;
	int opt, r;

	while ((opt = next_option(ctx, argc, argv)) != OPT_END) {
		r = opt == OPT_STOP ? ctx->exit : take_option(ctx, &new, &tab, &all, opt);
		if (opt == OPT_STOP || r)
			return r;
	}
	whole = !tab && !all;
	if (!operands(ctx, argc, argv, whole, whole))
		return ctx->exit;
	new.name = whole ? argv[optind] : tab;
	if ((tab || all) && (new.hdd || new.ssds.nr || new.nr_args || new.format || new.add))
		return bad_usage(ctx,
				 "-a and --tab take what ssduptab says: no --hdd, --ssd, -o, --format or --add");
	if (new.give_up.unsaved && !new.format)
		return bad_usage(ctx, "--discard-unsaved goes with --format");
	if (new.give_up.other && !(new.hdd && new.ssds.nr))
		return bad_usage(ctx, "--force goes with --hdd and --ssd");
	if (new.give_up.hdd && !(new.hdd && new.ssds.nr))
		return bad_usage(ctx, "--other-hdd goes with --hdd and --ssd");
	if (new.add && (new.format || new.ssd_text || !(new.hdd && new.ssds.nr)))
		return bad_usage(ctx, "--add goes with --hdd and --ssd, and not with --format");
	if (new.save && !(new.hdd && new.ssds.nr))
		return bad_usage(ctx, "--save goes with --hdd and --ssd");
	if ((new.give_up.host || new.ssds.lost) && all)
		return bad_usage(ctx, "--%s goes with one device",
				 new.ssds.lost ? "lost-ssd" : "take-over");
	word = (struct words){ new.give_up.host, new.ssds.lost };
	if (all)
		r = make_from_tab(ctx, NULL, NULL, &word);
	else if (new.hdd && new.ssds.nr)
		r = make(ctx, &new);
	else if (new.hdd || (new.ssds.nr && !new.ssd_text) || new.format || new.nr_args)
		r = bad_usage(ctx, "missing %s", new.hdd ? "--ssd" : "--hdd");
	else
		r = make_from_tab(ctx, new.name, new.ssd_text, &word);
	free(new.ssd_text);
	free(new.args);
	return r;
}
