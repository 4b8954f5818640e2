#!/bin/sh
# TaskProlog of slurm.conf: lines "export NAME=VALUE" become the environment of every task. The agent runs on the nodes as a service.
echo "export KINETO_USE_DAEMON=1"
echo "export KINETO_ONDEMAND_TRACE_DIR=/tmp"
