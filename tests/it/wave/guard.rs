//! The guards of the verify phase and the books of its fix rounds: the source's own cases, made
//! from events as a session writes them.

use countersign::adapters::wave::session::{self, What};
use countersign::gate::wave::guard::{Guard, MARKER, Says, Session, Settings, cap};
use serde_json::{Value, json};

const AGENTS: [&str; 2] = ["implementer", "loop-implementer"];

fn phases(brainstorm: &str, implement: &str, verify: &str, ship: &str) -> Value {
    json!({
        "brainstorm": {"status": brainstorm}, "plan": {"status": brainstorm},
        "implement": {"status": implement}, "verify": {"status": verify}, "ship": {"status": ship},
    })
}

fn phase(action: &str, phases: &Value) -> Value {
    json!({"type": "tool_result", "toolName": "phase_tracker", "toolCallId": "p", "isError": false,
        "details": {"action": action, "phases": phases}})
}

fn wave(children: &[(&str, i64)]) -> Value {
    let results: Vec<Value> = children
        .iter()
        .map(|(agent, exit)| json!({"agent": agent, "exitCode": exit}))
        .collect();
    json!({"type": "tool_result", "toolName": "subagent", "toolCallId": "w", "isError": false,
        "details": {"results": results}})
}

fn call(input: &Value) -> Value {
    json!({"type": "tool_call", "toolName": "subagent", "toolCallId": "c", "input": input})
}

fn tasks(agent: &str, count: usize) -> Value {
    let task = json!({"agent": agent, "task": "fix", "worktree": true});
    json!({"tasks": vec![task; count]})
}

/// Brainstorm to verify, entered.
fn verify() -> Vec<Value> {
    vec![
        phase(
            "start",
            &phases("in_progress", "pending", "pending", "pending"),
        ),
        phase(
            "complete",
            &phases("complete", "pending", "pending", "pending"),
        ),
        phase(
            "start",
            &phases("complete", "in_progress", "pending", "pending"),
        ),
        phase(
            "complete",
            &phases("complete", "complete", "pending", "pending"),
        ),
        phase(
            "start",
            &phases("complete", "complete", "in_progress", "pending"),
        ),
    ]
}

fn audited() -> Vec<Value> {
    let mut all = verify();
    all.push(wave(&[("conformance-reviewer", 0)]));
    all
}

/// The books at the end, and what was said to each call.
fn run(events: &[Value], settings: &Settings) -> (Session, Vec<Says>) {
    let text: String = events.iter().map(|event| format!("{event}\n")).collect();
    let log = session::read(text.as_bytes());
    assert!(log.complaints.is_empty(), "{:?}", log.complaints);
    let (mut books, mut said) = (Session::default(), Vec::new());
    for happened in &log.happened {
        match &happened.what {
            What::Call(made) => said.push(books.ask(made, settings)),
            What::Back(back) => books.take(back, settings),
        }
    }
    (books, said)
}

fn last(events: Vec<Value>, more: Vec<Value>, settings: &Settings) -> Says {
    let mut all = events;
    all.extend(more);
    run(&all, settings).1.pop().expect("a call")
}

fn with_cap(cap: u32) -> Settings {
    Settings {
        cap,
        ..Settings::default()
    }
}

fn blocked(says: &Says) -> Option<Guard> {
    match says {
        Says::Block(guard, _) => Some(*guard),
        _ => None,
    }
}

#[test]
fn shape_a_lone_worker_is_blocked_after_the_audit_with_and_without_a_model_async_or_not() {
    for agent in AGENTS {
        for model in [None, Some("x/y".to_owned())] {
            let settings = Settings {
                model,
                ..Settings::default()
            };
            for input in [
                json!({"agent": agent, "task": "t"}),
                json!({"agent": agent, "async": true}),
            ] {
                let Says::Block(Guard::Lone, why) = last(audited(), vec![call(&input)], &settings)
                else {
                    panic!("{input}")
                };
                assert!(
                    why.contains("dispatch implementers as a one-task tasks wave"),
                    "{why}"
                );
                assert!(
                    why.contains("piGauntlet.closureReview.enforce: false"),
                    "{why}"
                );
                assert!(why.contains(&format!("agent: \"{agent}\"")), "{why}");
            }
        }
    }
}

#[test]
fn shape_passes_before_the_audit_in_implement_in_ship_and_on_management_calls() {
    for agent in AGENTS {
        let lone = || vec![call(&json!({"agent": agent, "task": "t"}))];
        let settings = Settings::default();
        assert_eq!(
            last(verify(), lone(), &settings),
            Says::Pass,
            "before the audit"
        );
        let mut implement: Vec<Value> = verify().into_iter().take(3).collect();
        implement.push(wave(&[("conformance-reviewer", 0)]));
        assert_eq!(
            last(implement, lone(), &settings),
            Says::Pass,
            "in implement"
        );
        let mut ship = audited();
        ship.push(phase(
            "complete",
            &phases("complete", "complete", "complete", "pending"),
        ));
        ship.push(phase(
            "start",
            &phases("complete", "complete", "complete", "in_progress"),
        ));
        assert_eq!(last(ship, lone(), &settings), Says::Pass, "in ship");
        let status = vec![call(&json!({"action": "status", "agent": agent}))];
        assert_eq!(last(audited(), status, &settings), Says::Pass, "management");
    }
}

#[test]
fn shape_is_dormant_when_the_flow_was_never_entered_or_nothing_is_enforced() {
    let lone = || vec![call(&json!({"agent": "implementer", "task": "t"}))];
    let cold = vec![
        phase(
            "start",
            &phases("pending", "pending", "in_progress", "pending"),
        ),
        wave(&[("conformance-reviewer", 0)]),
    ];
    assert_eq!(last(cold, lone(), &Settings::default()), Says::Pass);
    let off = Settings {
        enforce: false,
        ..Settings::default()
    };
    assert_eq!(last(audited(), lone(), &off), Says::Pass);
    let child = Settings {
        child: true,
        ..Settings::default()
    };
    assert_eq!(last(audited(), lone(), &child), Says::Pass);
}

#[test]
fn cap_five_waves_pass_and_the_sixth_is_blocked_with_the_escalation_text() {
    for agent in AGENTS {
        let mut events = audited();
        for _ in 0..5 {
            events.push(call(&tasks(agent, 2)));
            events.push(wave(&[(agent, 0), (agent, 1)]));
        }
        events.push(call(&tasks(agent, 1)));
        let (books, said) = run(&events, &Settings::default());
        assert_eq!(books.rounds, 5);
        let (sixth, before) = said.split_last().expect("calls");
        assert!(before.iter().all(|says| *says == Says::Pass), "{before:?}");
        let Says::Block(Guard::Cap, why) = sixth else {
            panic!("{sixth:?}")
        };
        assert!(why.starts_with(
            "Conformance fix loop: 5 fix round(s) used against a cap of 5 (granted rounds included); \
             escalate to the human"
        ), "{why}");
        assert!(
            why.contains(&format!(
                "Start the escalation message with the line: {MARKER}"
            )),
            "{why}"
        );
        assert!(!why.starts_with("gauntlet:"), "{why}");
    }
}

#[test]
fn cap_zero_blocks_the_first_wave_one_the_second_and_a_chain_counts() {
    for agent in AGENTS {
        assert_eq!(
            blocked(&last(audited(), vec![call(&tasks(agent, 1))], &with_cap(0))),
            Some(Guard::Cap)
        );
        let once = vec![wave(&[(agent, 0)]), call(&tasks(agent, 1))];
        assert_eq!(
            blocked(&last(audited(), once, &with_cap(1))),
            Some(Guard::Cap)
        );
        let chain = json!({"chain": [{"agent": "scout"}, {"parallel": [{"agent": agent}]}]});
        assert_eq!(
            last(audited(), vec![call(&chain)], &with_cap(1)),
            Says::Pass
        );
        let after = vec![wave(&[("scout", 0), (agent, 0)]), call(&chain)];
        assert_eq!(
            blocked(&last(audited(), after, &with_cap(1))),
            Some(Guard::Cap)
        );
    }
    let other = vec![
        wave(&[("implementer", 0)]),
        call(&tasks("wave-reviewer", 1)),
    ];
    assert_eq!(
        last(audited(), other, &with_cap(1)),
        Says::Pass,
        "no fix agent, no cap"
    );
    let both = vec![
        call(&tasks("implementer", 1)),
        call(&tasks("implementer", 1)),
    ];
    let mut all = audited();
    all.extend(both);
    let (_, said) = run(&all, &with_cap(1));
    assert!(
        said.iter().all(|says| *says == Says::Pass),
        "counted when the result comes: {said:?}"
    );
}

#[test]
fn error_empty_and_async_results_count_nothing_failed_and_interrupted_ones_do() {
    let mut failed = wave(&[("implementer", 0)]);
    failed["isError"] = true.into();
    let rows = [
        (failed, 0),
        (wave(&[]), 0),
        (wave(&[("wave-reviewer", 0)]), 0),
        (wave(&[("implementer", 1)]), 1),
        (
            json!({"type": "tool_result", "toolName": "subagent", "details": {"results": [{"agent": "implementer"}]}}),
            1,
        ),
        (
            wave(&[
                ("wave-reviewer", 0),
                ("loop-implementer", 130),
                ("implementer", 0),
            ]),
            1,
        ),
    ];
    for (event, rounds) in rows {
        let mut all = audited();
        all.push(event.clone());
        assert_eq!(run(&all, &Settings::default()).0.rounds, rounds, "{event}");
    }
}

#[test]
fn reset_start_implement_and_reset_zero_the_books_start_verify_keeps_them() {
    let spent = || {
        let mut all = audited();
        all.push(wave(&[("implementer", 0)]));
        all
    };
    let again = phase(
        "start",
        &phases("complete", "complete", "in_progress", "pending"),
    );
    assert_eq!(
        blocked(&last(
            spent(),
            vec![again, call(&tasks("implementer", 1))],
            &with_cap(1)
        )),
        Some(Guard::Cap)
    );
    let implement = phase(
        "start",
        &phases("complete", "in_progress", "complete", "pending"),
    );
    let verify = phase(
        "start",
        &phases("complete", "complete", "in_progress", "pending"),
    );
    let more = vec![implement, verify, call(&tasks("implementer", 1))];
    assert_eq!(last(spent(), more, &with_cap(1)), Says::Pass);
    let reset = phase("reset", &phases("pending", "pending", "pending", "pending"));
    let lone = call(&json!({"agent": "implementer", "task": "t"}));
    assert_eq!(
        last(spent(), vec![reset, lone], &with_cap(1)),
        Says::Pass,
        "dormant after reset"
    );
}

#[test]
fn replay_two_waves_in_verify_restore_two_rounds_the_same_in_ship_none() {
    for agent in AGENTS {
        let mut verify = audited();
        verify.extend([
            wave(&[(agent, 0)]),
            wave(&[(agent, 0), ("wave-reviewer", 0)]),
        ]);
        assert_eq!(
            blocked(&last(verify, vec![call(&tasks(agent, 1))], &with_cap(2))),
            Some(Guard::Cap)
        );
        let mut ship = audited();
        ship.extend([
            phase(
                "complete",
                &phases("complete", "complete", "complete", "pending"),
            ),
            phase(
                "start",
                &phases("complete", "complete", "complete", "in_progress"),
            ),
            wave(&[(agent, 0)]),
            wave(&[(agent, 0)]),
            phase(
                "start",
                &phases("complete", "complete", "in_progress", "in_progress"),
            ),
        ]);
        assert_eq!(
            last(ship, vec![call(&tasks(agent, 1))], &with_cap(2)),
            Says::Pass
        );
    }
}

fn grant_call(rounds: &Value, reason: &str) -> Value {
    json!({"type": "tool_call", "toolName": "phase_tracker", "toolCallId": "g",
        "input": {"action": "grant_fix_rounds", "rounds": rounds, "reason": reason}})
}

fn grant_result(error: bool) -> Value {
    json!({"type": "tool_result", "toolName": "phase_tracker", "toolCallId": "g", "isError": error,
        "details": {"action": "grant_fix_rounds",
            "phases": phases("complete", "complete", "in_progress", "pending")}})
}

#[test]
fn grants_are_taken_in_the_order_of_their_checks() {
    let capped = || {
        let mut all = audited();
        all.push(wave(&[("implementer", 0)]));
        all
    };
    let rows = [
        (json!(0), "yes, two more", "rounds"),
        (json!(-1), "yes", "rounds"),
        (json!(1.5), "yes", "rounds"),
        (json!("2"), "yes", "rounds"),
        (json!(9_007_199_254_740_992u64), "yes", "rounds"),
        (json!(2), " ", "human's words"),
    ];
    for (rounds, reason, says) in rows {
        let Says::Block(Guard::Grant, why) =
            last(capped(), vec![grant_call(&rounds, reason)], &with_cap(1))
        else {
            panic!("{rounds}")
        };
        assert!(why.contains(says), "{rounds}: {why}");
    }
    let early = last(audited(), vec![grant_call(&json!(2), "yes")], &with_cap(1));
    assert_eq!(blocked(&early), Some(Guard::Grant), "nothing blocks yet");
    assert_eq!(
        last(capped(), vec![grant_call(&json!(2), "yes")], &with_cap(1)),
        Says::Pass
    );
    let stacked = vec![
        grant_call(&json!(2), "yes"),
        grant_result(false),
        grant_call(&json!(2), "yes"),
    ];
    assert_eq!(
        blocked(&last(capped(), stacked, &with_cap(1))),
        Some(Guard::Grant)
    );
}

#[test]
fn each_wave_spends_a_credit_and_still_counts() {
    let mut all = audited();
    all.extend([
        wave(&[("implementer", 0)]),
        grant_call(&json!(2), "two more, said Ana"),
        grant_result(false),
        call(&tasks("implementer", 1)),
        wave(&[("implementer", 1)]),
        call(&tasks("implementer", 1)),
        wave(&[("implementer", 0)]),
        call(&tasks("implementer", 1)),
    ]);
    let (books, said) = run(&all, &with_cap(1));
    assert_eq!((books.rounds, books.credits), (3, 0));
    let words: Vec<Option<Guard>> = said.iter().map(blocked).collect();
    assert_eq!(words, [None, None, None, Some(Guard::Cap)]);
}

#[test]
fn credits_waive_no_shape_and_fund_nothing_async_and_a_refused_grant_gives_none() {
    let granted = || {
        let mut all = audited();
        all.extend([
            wave(&[("implementer", 0)]),
            grant_call(&json!(2), "yes"),
            grant_result(false),
        ]);
        all
    };
    let lone = vec![call(&json!({"agent": "implementer", "task": "t"}))];
    assert_eq!(
        blocked(&last(granted(), lone, &with_cap(1))),
        Some(Guard::Lone)
    );
    let mut late = tasks("implementer", 1);
    late["async"] = true.into();
    assert_eq!(
        blocked(&last(granted(), vec![call(&late)], &with_cap(1))),
        Some(Guard::Cap)
    );
    let mut refused = audited();
    refused.extend([
        wave(&[("implementer", 0)]),
        grant_call(&json!(2), "yes"),
        grant_result(true),
    ]);
    assert_eq!(run(&refused, &with_cap(1)).0.credits, 0);
    let mut implement = granted();
    implement.push(phase(
        "start",
        &phases("complete", "in_progress", "complete", "pending"),
    ));
    assert_eq!(
        run(&implement, &with_cap(1)).0.credits,
        0,
        "reset with the counter"
    );
}

#[test]
fn closure_and_model_guards_come_first() {
    let complete = json!({"type": "tool_call", "toolName": "phase_tracker", "toolCallId": "k",
        "input": {"action": "complete", "phase": "verify"}});
    let settings = Settings::default();
    assert_eq!(
        blocked(&last(verify(), vec![complete.clone()], &settings)),
        Some(Guard::Closure)
    );
    assert_eq!(
        last(audited(), vec![complete.clone()], &settings),
        Says::Pass
    );
    let failed = vec![wave(&[("conformance-reviewer", 1)]), complete];
    assert_eq!(
        blocked(&last(verify(), failed, &settings)),
        Some(Guard::Closure)
    );
    let model = Settings {
        model: Some("x/y".into()),
        ..Settings::default()
    };
    let audit =
        |model: Value| json!({"tasks": [{"agent": "conformance-reviewer", "model": model}]});
    let none = vec![call(
        &json!({"chain": [{"parallel": [{"agent": "conformance-reviewer"}]}]}),
    )];
    assert_eq!(
        blocked(&last(verify(), none, &model)),
        Some(Guard::ClosureModel)
    );
    assert_eq!(
        last(verify(), vec![call(&audit(json!("x/y")))], &model),
        Says::Pass
    );
    let other = last(verify(), vec![call(&audit(json!("z")))], &model);
    assert!(
        matches!(other, Says::Warn(Guard::ClosureModel, _)),
        "{other:?}"
    );
}

#[test]
fn settings_fall_back_and_never_guess_above_what_they_say() {
    let rows = [
        (None, 5),
        (Some("3"), 3),
        (Some("0"), 0),
        (Some("-2"), 0),
        (Some("2.5"), 5),
        (Some("many"), 5),
    ];
    for (text, wanted) in rows {
        assert_eq!(cap(text), wanted, "{text:?}");
    }
}

#[test]
fn messages_of_a_session_count_on_their_last_branch_only() {
    let message = |id: &str, parent: Value, message: Value| json!({"type": "message", "id": id, "parentId": parent, "message": message});
    let result = |event: &Value| {
        json!({"role": "toolResult", "toolCallId": event["toolCallId"], "toolName": event["toolName"],
            "isError": event["isError"], "details": event["details"]})
    };
    let mut lines = vec![json!({"type": "session", "id": "s"})];
    let mut before = Value::Null;
    for (at, event) in audited().iter().enumerate() {
        lines.push(message(&format!("m{at}"), before, result(event)));
        before = json!(format!("m{at}"));
    }
    lines.push(message(
        "dead",
        before.clone(),
        result(&wave(&[("implementer", 0)])),
    ));
    lines.push(message(
        "live",
        before,
        result(&wave(&[("implementer", 0)])),
    ));
    lines.push(message("end", json!("live"), json!({"role": "assistant", "content": [
        {"type": "text", "text": "now"},
        {"type": "toolCall", "id": "c", "name": "subagent", "arguments": tasks("implementer", 1)},
    ]})));
    let (books, said) = run(&lines, &with_cap(1));
    assert_eq!(books.rounds, 1, "the abandoned branch counts nothing");
    assert_eq!(
        said.iter().map(blocked).collect::<Vec<_>>(),
        [Some(Guard::Cap)]
    );
    let log = session::read(b"{\"type\":\nnot json\n");
    assert_eq!(log.complaints.len(), 2);
}

/// What the phases refuse, whether or not the guards are on.
#[test]
fn a_step_that_the_phases_do_not_have_is_refused() {
    let tracker = |input: &Value| json!({"type": "tool_call", "toolName": "phase_tracker", "toolCallId": "s", "input": input});
    let rows = [
        (
            json!({"action": "start"}),
            Some("start has to name a phase"),
        ),
        (
            json!({"action": "start", "phase": "dance"}),
            Some("start has to name a phase"),
        ),
        (
            json!({"action": "start", "phase": "plan"}),
            Some("plan is over; force starts it again"),
        ),
        (
            json!({"action": "start", "phase": "plan", "force": true}),
            Some("implement is in progress"),
        ),
        (
            json!({"action": "start", "phase": "verify"}),
            Some("implement is in progress"),
        ),
        (json!({"action": "start", "phase": "implement"}), None),
        (
            json!({"action": "complete", "phase": "plan"}),
            Some("that phase is over"),
        ),
        (json!({"action": "complete", "phase": "implement"}), None),
        (json!({"action": "complete"}), None),
        (
            json!({"action": "skip", "phase": "verify", "reason": " "}),
            Some("a phase is skipped with a reason, the human's words"),
        ),
        (
            json!({"action": "skip", "phase": "verify", "reason": "too small"}),
            None,
        ),
        (json!({"action": "substep"}), None),
        (json!({"action": "reset"}), None),
    ];
    let at = phases("complete", "in_progress", "pending", "pending");
    for (input, wanted) in rows {
        let log = [phase("start", &at), tracker(&input)];
        let text: Vec<String> = log.iter().map(Value::to_string).collect();
        let read = session::read(text.join("\n").as_bytes());
        let (mut books, mut got) = (Session::default(), None);
        for happened in &read.happened {
            match &happened.what {
                What::Call(made) => got = Some(books.ask(made, &Settings::default())),
                What::Back(back) => books.take(back, &Settings::default()),
            }
        }
        let wanted = wanted.map_or(Says::Pass, |why| Says::Block(Guard::Step, why.to_owned()));
        assert_eq!(got, Some(wanted), "{input}");
    }
    let idle = Session::default();
    let read = session::read(
        tracker(&json!({"action": "substep"}))
            .to_string()
            .as_bytes(),
    );
    let Some(What::Call(made)) = read.happened.first().map(|h| &h.what) else {
        panic!("no call");
    };
    assert!(matches!(
        idle.ask(made, &Settings::default()),
        Says::Block(Guard::Step, _)
    ));
}
