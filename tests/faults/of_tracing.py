"""Faults in spans: a trace that breaks off, one that never ends, and spans of what was not done."""

from __future__ import annotations

from tests.faults.code_edits import Code
from tests.faults.fault import Fault, cases

_SPANS = "engine/test_run_spans.py"
_ELSEWHERE = "engine/test_spans_elsewhere.py"
_FAILURES = "engine/test_failure_log.py"
_COMMANDS = "cli/test_carried_trace.py"
_SAMPLING = "telemetry/test_sampling.py"
_REQUESTS = "server/test_traced_requests.py"
_ONE_TRACE = cases(_SPANS, "test_one_trace_leads_from_the_caller_into_the_code_of_tasks[sqlite]")

FAULTS = [
    Fault(
        "span-not-current-on-the-loop",
        "what an async task opens is below its attempt",
        [Code("executors.inline:InlineExecutor._run").remove("attempt.span.enter()")],
        _ONE_TRACE,
    ),
    Fault(
        "span-not-current-on-threads",
        "what a task on a thread opens is below its attempt",
        [Code("executors.threads:ThreadExecutor._call").remove("attempt.span.enter()")],
        _ONE_TRACE,
    ),
    Fault(
        "trace-not-stored",
        "a run remembers the span in which it was started",
        [
            Code("client.traced_calls:_starting").replace(
                "traced_options(terms.options, trace, share=share)", "terms.options"
            )
        ],
        _ONE_TRACE,
    ),
    Fault(
        "child-in-no-trace",
        "a child belongs to the trace of its parent",
        [Code("engine.tick:Tick._start_child").replace("child_terms(resident, A)", "A or RunTerms()")],
        cases(_SPANS, "test_children_and_chapters_stay_in_the_trace[sqlite]"),
    ),
    Fault(
        "endless-trace",
        "a long run goes on in a trace of its own",
        [Code("telemetry.tracing:WINDOW").replace("dt.timedelta(hours=1)", "dt.timedelta(hours=10_000)")],
        cases(_SPANS, "test_a_long_run_goes_on_in_other_traces_that_link_to_the_first[sqlite]"),
    ),
    Fault(
        "unsampled-parent-unknown",
        "the code of a task knows that its run is not sampled",
        [Code("telemetry.tracing:_Parent.enter").remove("attach(self.context)")],
        cases(_SPANS, "test_an_unsampled_run_has_no_spans_and_tells_its_tasks_so"),
    ),
    Fault(
        "endless-new-traces",
        "so many new traces are kept in a second",
        [Code("telemetry.sampling:LimitedTraces._take").replace("min(wanted, int(available))", "wanted")],
        cases(_SAMPLING, "test_so_many_new_traces_are_kept_in_a_second_and_say_for_how_many_they_stand"),
    ),
    Fault(
        "take-ups-without-a-limit",
        "our sampler is asked before a new trace is begun",
        [Code("telemetry.sampling:LimitedTraces.leaves_out").replace("return True", "return False")],
        cases(_SAMPLING, "test_starts_begin_no_more_traces_than_that"),
    ),
    Fault(
        "all-runs-of-a-start-traced",
        "of the runs that one call starts, a share is traced",
        [Code("core.run_options:is_in_share").replace("crc32(run) < A", "True")],
        cases(_SAMPLING, "test_a_share_of_the_runs_that_one_call_starts_is_traced_as_a_whole[sqlite-False]"),
    ),
    Fault(
        "left-out-without-a-word",
        "the log says that traces were left out",
        [Code("telemetry.sampling:LimitedTraces._take").remove("self._log_left_out(now)")],
        cases(_SAMPLING, "test_what_is_left_out_is_logged_once_an_hour"),
    ),
    Fault(
        "lost-ends-traced",
        "an end that was not written, because the run was lost, has no span",
        [Code("engine.run_spans:RunSpans.note_ends").replace("resident is None or A", "resident is None")],
        cases(_SPANS, "test_what_was_decided_for_a_lost_run_has_no_span"),
    ),
    Fault(
        "tracer-stops-the-node",
        "a tracer that fails stops no run",
        [Code("engine.run_spans:RunSpans._go_on_without").replace("self._has_failed = True", "raise error")],
        cases(_SPANS, "test_a_tracer_that_fails_stops_no_run"),
    ),
    Fault(
        "span-of-a-timeout-succeeds",
        "an attempt that was cancelled because of a timeout has failed",
        [Code("engine.run_spans:RunSpans.end").replace("failure is None", "True")],
        cases(_SPANS, "test_an_attempt_that_takes_too_long_has_failed"),
    ),
    Fault(
        "commands-without-a-span",
        "commands are told the span of their attempt",
        [Code("executors.processes.contract:variables_of").replace("attempt.span is not None", "False")],
        cases(_ELSEWHERE, "test_commands_and_python_functions_find_the_span_of_their_attempt"),
    ),
    Fault(
        "functions-without-a-span",
        "the span of its attempt is the current one in a Python function of a DAG",
        [Code("executors.python.function_worker:_span_of").replace("not call.in_span", "True")],
        cases(_ELSEWHERE, "test_commands_and_python_functions_find_the_span_of_their_attempt"),
    ),
    Fault(
        "workers-without-a-span",
        "the span of its attempt is the current one in a worker that is called over HTTP",
        [Code("worker.spans:in_span_of").replace("not traceparent", "True")],
        cases(_ELSEWHERE, "test_what_our_own_worker_opens_is_below_the_attempt"),
    ),
    Fault(
        "pull-workers-without-a-span",
        "a worker that takes a task from the queue is told the trace of its run",
        [Code("server.compat.flows.queue:_answer").replace("traceparent or msgspec.UNSET", "msgspec.UNSET")],
        cases(_ELSEWHERE, "test_what_our_own_worker_opens_for_a_task_of_the_queue_is_in_the_trace[sqlite]"),
    ),
    Fault(
        "queued-attempts-without-spans",
        "an attempt that a worker has taken from the queue is a span",
        [Code("engine.attempt_recorder:AttemptRecorder.conclude_remote").remove("self.reported.append(A)")],
        cases(_ELSEWHERE, "test_what_a_worker_takes_from_the_queue_is_a_span_when_it_has_reported[sqlite]"),
    ),
    Fault(
        "trace-of-the-request-ignored",
        "a run that a request starts is in the trace of the request",
        [Code("server.gateway:Gateway.__call__").replace('b"traceparent" not in headers', "True")],
        cases(_REQUESTS, "test_a_request_with_a_traceparent_starts_a_run_in_that_trace[sqlite]"),
    ),
    Fault(
        "remote-client-sends-no-span",
        "a client elsewhere sends its current span",
        [Code("remote.connection:Connection.request").replace("self.trace_headers is not None", "False")],
        cases(_REQUESTS, "test_a_remote_client_sends_the_current_span"),
    ),
    Fault(
        "signals-without-a-link",
        "the span of a signal links to the span in which its run was started",
        [Code("client.traced_calls:_sending").remove("span.name_run(A, trace)")],
        cases(_REQUESTS, "test_signals_are_spans_of_whoever_sends_them"),
    ),
    Fault(
        "many-signals-without-a-span",
        "signals to many runs are a span",
        [Code("client.traced_calls:sending_many").replace("tracing is None or not runs", "True")],
        cases(_REQUESTS, "test_signals_to_many_runs_are_one_span_that_names_them"),
    ),
    Fault(
        "commands-outside-the-trace",
        "a run that a command starts belongs to the trace of whoever has called the command",
        [Code("cli.database:new_holdfast").remove("join_trace(holdfast, own_environment())")],
        cases(_COMMANDS, "test_a_run_that_a_command_starts_belongs_to_the_trace_of_its_caller[sqlite]"),
    ),
    Fault(
        "logs-without-a-span",
        "log records of a task name its span",
        [Code("executors.context:TaskContext.origin").replace("attempt.span is not None", "False")],
        cases(_SPANS, "test_log_records_of_a_task_say_in_which_span_they_are"),
    ),
    Fault(
        "secret-in-a-logged-exception",
        "an exception that may have a secret in it is not logged itself",
        [Code("executors.context:outcome_of").replace("attempt.secrets is None", "True")],
        cases(_FAILURES, "test_what_may_show_a_secret_is_logged_without_frames"),
    ),
    Fault(
        "retries-as-errors",
        "an attempt that is made again is no error",
        [
            Code("engine.attempt_recorder:AttemptRecorder._fail").replace(
                "self.failed_once.append(failed)", "self.failed.append(failed)"
            )
        ],
        cases(_FAILURES, "test_a_task_that_fails_is_one_error_with_its_exception[loop]"),
    ),
    Fault(
        "failure-told-by-every-ancestor",
        "what fails because a task or a child has failed is not logged again",
        [Code("engine.failure_log:_was_said").replace("failure.task is not None or A", "False")],
        cases(_FAILURES, "test_a_run_that_fails_by_itself_is_one_error_and_its_parents_are_none"),
    ),
    Fault(
        "endless-failure-log",
        "one commit logs a bounded number of failures",
        [Code("engine.failure_log:_first").replace("found[:MOST]", "found")],
        cases(_FAILURES, "test_of_very_many_failures_some_are_logged_and_all_are_counted"),
    ),
    Fault(
        "our-frames-in-logged-exceptions",
        "a logged exception has no frames of ours, which have payloads in their variables",
        [
            Code("engine.failure_log:_exc_info").replace(
                "users_frames(error.__traceback__)", "error.__traceback__"
            )
        ],
        cases(_FAILURES, "test_a_task_that_fails_is_one_error_with_its_exception[loop]"),
    ),
]
