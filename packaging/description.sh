#!/usr/bin/env bash
# description.sh NAME deb|rpm: what the package is, as the fields of that kind say it.
set -euo pipefail
if [ "$1" = rankscope ]; then
  summary="finds out why an AI job is slow"
  text="rankscope reads the PyTorch profiler traces of all ranks of a job and says
where the time of every device went: computing, communication that nothing
hides, copies, and idle time by cause. As a report in the terminal or a page
with plots, as tables, and by SQL over the events of all ranks."
else
  summary="profiles running PyTorch jobs, and tells what a host does"
  text="rankscope-agent is the daemon of a host: it profiles PyTorch processes that
run already, brings what they recorded to a rankscope server, and tells what
processors, devices, memory and network do as Prometheus reads it."
fi
case $2 in
  deb) printf 'Description: %s\n%s\n' "$summary" "${text//$'\n'/$'\n' }" | sed '2s/^/ /' ;;
  rpm) printf 'Summary: %s\n\n%%description\n%s\n' "$summary" "$text" ;;
esac
