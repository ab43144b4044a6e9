// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cut.h"
#include "lib/tool.h"

/* A write that no flush has followed. */
struct write {
	ino_t	file;
	int	fd;
	off_t	at;
	size_t	len;
	char	*before;
	char	*after;
};

static struct {
	bool		active;
	bool		off;
	u32		left;
	struct write	*write;
	size_t		nr;
} cut;

static ino_t file_of(int fd)
{
	struct stat st;

	WARN_ON(fstat(fd, &st));
	return st.st_ino;
}

static bool pass(void)
{
	if (!cut.off && cut.left) {
		cut.left--;
		return true;
	}
	cut.off = true;
	errno = EIO;
	return false;
}

ssize_t __wrap_pwrite(int fd, const void *buf, size_t len, off_t at)
{
	struct write *w;

	if (!cut.active)
		return __real_pwrite(fd, buf, len, at);
	if (!pass())
		return -1;
	cut.write = xmore(cut.write, cut.nr, sizeof(*cut.write));
	w = &cut.write[cut.nr++];
	*w = (struct write){ .file = file_of(fd), .fd = dup(fd), .at = at, .len = len,
			     .before = xalloc(len), .after = xalloc(len) };
	WARN_ON(pread(fd, w->before, len, at) != (ssize_t)len);
	memcpy(w->after, buf, len);
	return __real_pwrite(fd, buf, len, at);
}

static void forget(struct write *w)
{
	close(w->fd);
	free(w->before);
	free(w->after);
}

int __wrap_fsync(int fd)
{
	size_t i, kept = 0;
	ino_t file;

	if (!cut.active)
		return __real_fsync(fd);
	if (!pass())
		return -1;
	file = file_of(fd);
	for (i = 0; i < cut.nr; i++)
		if (cut.write[i].file == file)
			forget(&cut.write[i]);
		else
			cut.write[kept++] = cut.write[i];
	cut.nr = kept;
	return 0;
}

/* A hole is a write like any other: let the caller write zeros. */
int __wrap_fallocate(int fd, int mode, off_t at, off_t len)
{
	if (!cut.active)
		return __real_fallocate(fd, mode, at, len);
	errno = EOPNOTSUPP;
	return -1;
}

void cut_after(u32 requests)
{
	cut.active = true;
	cut.off = false;
	cut.left = requests;
}

static u64 random_of(u64 *state)
{
	u64 x = *state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static void put(const struct write *w, const char *from, size_t at, size_t len)
{
	WARN_ON(__real_pwrite(w->fd, from + at, len, w->at + at) != (ssize_t)len);
}

bool cut_done(u64 seed)
{
	struct write *w;
	size_t at, i;
	u32 how;

	cut.active = false;
	for (i = cut.nr; i-- > 0 && cut.off;)
		put(&cut.write[i], cut.write[i].before, 0, cut.write[i].len);
	for (i = 0; i < cut.nr; i++) {
		w = &cut.write[i];
		how = random_of(&seed) % 3;
		for (at = 0; at < w->len && cut.off && how; at += SECTOR_BYTES)
			if (how == 1 || random_of(&seed) & 1)
				put(w, w->after, at, SECTOR_BYTES);
		forget(w);
	}
	free(cut.write);
	cut.write = NULL;
	cut.nr = 0;
	return cut.off;
}
