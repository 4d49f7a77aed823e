/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Proves that a tree of processes comes to its end, each told to its parent: 3 children each, 4 deep, 121 in all. */
#include <stdlib.h>
#include <sys/wait.h>

#include "task.h"

/* Processes below and this one. */
static int grow(int depth)
{
	int pipes[3][2], n = 1, below, status;
	pid_t pid[3];

	for (int i = 0; depth && i < 3; i++) {
		if (pipe(pipes[i]))
			exit(90);
		pid[i] = fork();
		if (!pid[i]) {
			below = grow(depth - 1);
			if (write(pipes[i][1], &below, sizeof(below)) != sizeof(below))
				_exit(91);
			_exit(depth * 10 + i);
		}
		if (pid[i] < 0)
			exit(92);
		close(pipes[i][1]);
	}
	for (int i = 0; depth && i < 3; i++) {
		if (read(pipes[i][0], &below, sizeof(below)) != sizeof(below) || waitpid(pid[i], &status, 0) != pid[i] ||
		    !WIFEXITED(status) || WEXITSTATUS(status) != depth * 10 + i)
			exit(93);
		close(pipes[i][0]);
		n += below;
	}
	return n;
}

int main(void)
{
	say("processes", grow(4));
	say("nobody left", wait(NULL));
	return 5;
}
