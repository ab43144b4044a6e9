# SPDX-License-Identifier: GPL-2.0-only
#
# fish completion for ssdup(8), which says itself what may be typed

complete -c ssdup -a '(ssdup --complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
