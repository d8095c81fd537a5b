//! Traces as a collector receives them, and the log lines under the same ids: from the HTTP request over the queue and
//! the outbox to the payment provider and the course platform.

use std::path::PathBuf;
use std::time::Duration;

use harness::certificates::{Authority, Front, Opening};
use harness::collector::{Collector, ReceivedSpan, SpanKind};
use harness::steps::demo::{PAID_COURSE, PAID_KEY};
use harness::steps::orders;
use harness::steps::organisation_keys::key;
use harness::steps::payment_commands::payments;
use harness::steps::payments::{begun, reference};
use harness::steps::{notifications, refunds};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Reply, Setup, World, free_port, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;
use tokio::process::{Child, Command};

use crate::tls::AuthorityFile;

const ENROLL: &str = "/storeapi/enrollments/client/enroll/";
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";
const EMAIL: &str = "trace-me@example.com";

/// A program in a process of its own, which exports traces and logs JSON to a file.
struct Program {
    process: Child,
    log: PathBuf,
    internal: u16,
}

impl Program {
    fn start(program: &str, words: &[&str], arguments: &[String], internal: (&str, u16)) -> Self {
        let log = std::env::temp_dir().join(format!("storefront-{}.log", uuid::Uuid::new_v4()));
        let process = Command::new(program)
            .args(["--log-format=json", "--log-filter=info,lapin=off,sqlx=warn"])
            .args(words)
            .args(arguments)
            .arg(format!("--{}=127.0.0.1:{}", internal.0, internal.1))
            .stdout(std::fs::File::create(&log).unwrap())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        Self { process, log, internal: internal.1 }
    }

    /// Sends SIGTERM, waits for the end, and returns the log.
    async fn end(mut self) -> Vec<Value> {
        let id = self.process.id().unwrap().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().await.unwrap().success());
        assert!(self.process.wait().await.unwrap().success());
        let log = std::fs::read_to_string(&self.log).unwrap();
        log.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.log);
    }
}

/// The api and the worker under test, beside the world's own api.
struct Traced {
    api: Program,
    worker: Program,
    base: String,
}

impl Traced {
    async fn start(world: &World, settings: &[String]) -> Self {
        // What is given here; the programs take each setting once.
        let replaced = ["--api-listen=", "--api-internal-listen=", "--worker-internal-listen=", "--otel-"];
        let rest = |arguments: &[String]| -> Vec<String> {
            let is_kept = |argument: &&String| !replaced.iter().any(|name| argument.starts_with(name));
            arguments.iter().filter(is_kept).cloned().collect()
        };
        let public = free_port();
        let mut api_args = rest(&world.api_args);
        api_args.push(format!("--api-listen=127.0.0.1:{public}"));
        api_args.push("--log-reads=1".into());
        api_args.extend_from_slice(settings);
        let mut worker_args = rest(&world.worker_args);
        worker_args.extend_from_slice(settings);
        let api = env!("CARGO_BIN_EXE_storefront-api-under-test");
        let worker = env!("CARGO_BIN_EXE_storefront-worker-under-test");
        let traced = Self {
            api: Program::start(api, &[], &api_args, ("api-internal-listen", free_port())),
            worker: Program::start(worker, &["run"], &worker_args, ("worker-internal-listen", free_port())),
            base: format!("http://127.0.0.1:{public}"),
        };
        for port in [traced.api.internal, traced.worker.internal] {
            let ready = format!("http://127.0.0.1:{port}/readyz");
            world
                .eventually("the program is ready", async |world| {
                    let Ok(answer) = world.http.get(&ready).send().await else { return false };
                    let is_ready = answer.status().is_success();
                    let ready: Value = answer.json().await.unwrap_or_default();
                    is_ready && ready["broker"] != false
                })
                .await;
        }
        traced
    }

    async fn post(&self, world: &World, path: &str, body: &Value, traceparent: Option<&str>) -> Reply {
        let mut request = world.http.post(format!("{}{path}", self.base)).json(body);
        request = request.header("clientapisecret", harness::SECRET);
        if let Some(traceparent) = traceparent {
            request = request.header("traceparent", traceparent);
        }
        Reply::read(request).await
    }
}

fn settings(collector: &Collector, more: &[&str]) -> Vec<String> {
    let endpoint = format!("--otel-exporter-otlp-endpoint=http://{}", collector.address);
    [endpoint].into_iter().chain(more.iter().map(|&setting| setting.to_owned())).collect()
}

/// The only span of this name below a parent.
fn child<'a>(spans: &'a [ReceivedSpan], parent: &str, name: &str) -> &'a ReceivedSpan {
    let found: Vec<_> = spans.iter().filter(|span| span.parent == parent && span.name == name).collect();
    assert_eq!(found.len(), 1, "{name} below {parent}: {found:?} of\n{}", tree(spans));
    found[0]
}

fn tree(spans: &[ReceivedSpan]) -> String {
    let line = |span: &ReceivedSpan| {
        format!(
            "{} {} {:?} {} {} < {}\n",
            span.service, span.trace_id, span.kind, span.name, span.id, span.parent
        )
    };
    spans.iter().map(line).collect()
}

/// The only line with these values.
fn line<'a>(log: &'a [Value], message: &str, field: &str, value: &str) -> &'a Value {
    let is_it = |line: &&Value| line["message"] == message && line[field] == value;
    let found: Vec<_> = log.iter().filter(is_it).collect();
    assert_eq!(found.len(), 1, "{message} with {field}={value}: {log:#?}");
    found[0]
}

#[tokio::test]
async fn a_grant_is_one_trace_from_the_request_to_the_mail_that_follows_it() {
    world(Setup::without_workers(), async |world| {
        let collector = Collector::start().await;
        let traced = Traced::start(world, &settings(&collector, &["--trace-level=debug"])).await;
        // The mail's job fails once, and is retried.
        world.fault(json!({ "target": "smtp", "kind": "status", "status": 451 })).await;
        let body = json!({ "email": EMAIL, "course_id": PAID_COURSE, "mode": "verified" });
        let traceparent = format!("00-{TRACE}-{CALLER}-01");
        let reply = traced.post(world, ENROLL, &body, Some(&traceparent)).await;
        assert_eq!(reply.json["enrollment_state"], "pending_registration", "{}", reply.text);
        world.eventually("the invitation", async |world| world.emails(EMAIL).await.len() == 1).await;
        let (api_log, worker_log) = (traced.api.end().await, traced.worker.end().await);

        // The end of a program exports what is left.
        let all = collector.spans();
        let spans: Vec<_> = all.iter().filter(|span| span.trace_id == TRACE).cloned().collect();
        let request = child(&spans, CALLER, &format!("POST {ENROLL}"));
        assert_eq!((request.service.as_str(), request.kind), ("storefront-api", SpanKind::Server));
        assert_eq!((&*request.attributes["http.route"], &*request.attributes["caller"]), (ENROLL, "client"));
        assert_eq!(request.attributes["http.response.status_code"], "200");
        let publish = child(&spans, &request.id, "publish enrollment.grant.v1");
        assert_eq!((publish.service.as_str(), publish.kind), ("storefront-api", SpanKind::Producer));
        let process = child(&spans, &publish.id, "process enrollment.grant.v1");
        assert_eq!((process.service.as_str(), process.kind), ("storefront-worker", SpanKind::Consumer));
        let job = child(&spans, &process.id, "job.grant_enrollment");
        let call = child(&spans, &job.id, "GET /api/user/v1/accounts");
        assert_eq!((call.kind, &*call.attributes["server.address"]), (SpanKind::Client, "127.0.0.1"));
        // Over the outbox.
        let mail = child(&spans, &process.id, "publish email.send.v1");
        assert_eq!((mail.service.as_str(), mail.kind), ("storefront-worker", SpanKind::Producer));
        let attempt = |n: &str| {
            let is_it = |span: &&ReceivedSpan| span.parent == mail.id && span.attributes["attempt"] == n;
            spans.iter().find(is_it).unwrap_or_else(|| panic!("attempt {n} in\n{}", tree(&spans)))
        };
        let (failed, sending) = (attempt("0"), attempt("1"));
        assert_eq!((&*failed.name, failed.is_error), ("process email.send.v1", true));
        assert_eq!((&*sending.name, sending.is_error), ("process email.send.v1", false));
        child(&spans, &sending.id, "job.send_email");
        // At the level debug.
        let statements: Vec<_> =
            spans.iter().filter(|span| span.attributes.contains_key("db.query.text")).collect();
        let insert = |span: &&&ReceivedSpan| {
            span.parent == job.id && span.attributes["db.query.text"].contains("INSERT INTO mails")
        };
        assert_eq!(statements.iter().filter(insert).count(), 1, "{}", tree(&spans));
        assert!(all.iter().all(|span| span.trace_id == TRACE || !span.name.starts_with("SELECT")));
        let shown = format!("{all:?}");
        assert!(!shown.contains("trace-me") && !shown.contains(harness::SECRET), "{shown}");

        let request_line = line(&api_log, "request ended", "trace_id", TRACE);
        assert_eq!(request_line["span_id"], request.id.as_str());
        assert_eq!(request_line["request_id"], reply.header("x-request-id"));
        assert_eq!((&request_line["route"], &request_line["caller"]), (&json!(ENROLL), &json!("client")));
        assert_eq!((&request_line["status"], &request_line["outcome"]), (&json!(200), &json!("answered")));
        let job_line = line(&worker_log, "job ended", "kind", "enrollment.grant.v1");
        assert_eq!((&job_line["trace_id"], &job_line["span_id"]), (&json!(TRACE), &json!(process.id)));
        assert_eq!(job_line["request_id"], request_line["request_id"]);
        assert_eq!((&job_line["caller"], &job_line["outcome"]), (&json!("client"), &json!("done")));
        let retried = line(&worker_log, "job ended", "outcome", "retried");
        assert_eq!((&retried["level"], &retried["span_id"]), (&json!("WARN"), &json!(failed.id)));
        let mail_line = line(&worker_log, "job ended", "span_id", &sending.id);
        assert_eq!((&mail_line["trace_id"], &mail_line["kind"]), (&json!(TRACE), &json!("email.send.v1")));
        assert_eq!((&mail_line["caller"], &mail_line["request_id"]), (&json!("worker"), &Value::Null));
    })
    .await;
}

#[tokio::test]
async fn a_page_of_orders_takes_as_many_statements_for_five_orders_as_for_one() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for guest in 0..5 {
            let (cart, _) = begun(world, &ORGANISATIONS[0], &format!("guest{guest}@example.com")).await;
            orders::pay(world, &cart, world.clock.now()).await;
            orders::refund(world, &cart, 1_000, "a test", world.clock.now()).await;
        }
        let key = key(world, "northwind", &[Scope::Orders]).await;
        let collector = Collector::start().await;
        let traced = Traced::start(world, &settings(&collector, &["--trace-level=debug"])).await;
        let traces = [1, 2, 3].map(|nth| format!("{nth:032x}"));
        // The first one also looks the key up, which the api then remembers.
        for (trace, limit) in traces.iter().zip([1, 1, 5]) {
            let path = format!("{}/storeapi/payment/orders/?limit={limit}", traced.base);
            let request = world.http.get(path).header("organisationapikey", &key);
            let reply = Reply::read(request.header("traceparent", format!("00-{trace}-{CALLER}-01"))).await;
            assert_eq!(reply.json["orders"].as_array().map(Vec::len), Some(limit), "{}", reply.text);
        }
        traced.api.end().await;
        traced.worker.end().await;
        let spans = collector.spans();
        let statements = |trace: &String| {
            let is_one = |span: &&ReceivedSpan| {
                span.trace_id == *trace && span.attributes.contains_key("db.query.text")
            };
            spans.iter().filter(is_one).count()
        };
        let [_, one, five] = traces.each_ref().map(statements);
        assert!(one > 0 && one == five, "{one} and {five}");
    })
    .await;
}

#[tokio::test]
async fn a_paid_checkout_is_one_trace_to_the_provider_and_a_sync_one_to_the_platform() {
    world(Setup::without_workers(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        let collector = Collector::start().await;
        let traced = Traced::start(world, &settings(&collector, &[])).await;
        let mut basket = world.basket(&ORGANISATIONS[0]).await;
        basket["email"] = json!(EMAIL);
        let reply = traced.post(world, GUEST_CHECKOUT, &basket, None).await;
        assert_eq!(reply.json["status"], "success", "{}", reply.text);
        let grant = json!({ "email": EMAIL, "course_id": PAID_COURSE, "mode": "verified" });
        assert_eq!(traced.post(world, ENROLL, &grant, None).await.status, 200);
        world.platform_agrees(EMAIL, PAID_KEY, "verified", true).await;
        world.drain().await;
        drop((traced.api.end().await, traced.worker.end().await));

        let all = collector.spans();
        let begun = |name: String| child(&all, "", &name);
        let checkout = begun(format!("POST {GUEST_CHECKOUT}"));
        let publish = child(&all, &checkout.id, "publish checkout.start.v1");
        let process = child(&all, &publish.id, "process checkout.start.v1");
        let job = child(&all, &process.id, "job.start_checkout");
        let calls: Vec<_> =
            all.iter().filter(|span| span.parent == job.id && span.name == "POST stripe").collect();
        assert!(
            !calls.is_empty() && calls.iter().all(|call| call.kind == SpanKind::Client),
            "{}",
            tree(&all)
        );
        let grant = begun(format!("POST {ENROLL}"));
        assert_ne!(grant.trace_id, checkout.trace_id);
        let changed = |span: &&ReceivedSpan| span.name == "POST /api/enrollment/v1/enrollment";
        let change = all.iter().find(changed).expect("a call that enrolls");
        assert_eq!(change.trace_id, grant.trace_id);
        // Below the level debug no statement is a span, and a timer's poll begins no trace.
        assert!(!all.iter().any(|span| span.attributes.contains_key("db.query.text")));
        assert!(!format!("{all:?}").contains("trace-me"));
    })
    .await;
}

#[tokio::test]
async fn a_trace_is_recorded_only_if_its_beginning_says_so_and_travels_over_verified_tls() {
    world(Setup::without_workers(), async |world| {
        let collector = Collector::start().await;
        let authority = Authority::new();
        let front = Front::start(&authority.certify("localhost"), collector.address, Opening::Tls).await;
        let file = AuthorityFile::new(&authority);
        let endpoint = format!("--otel-exporter-otlp-endpoint=https://localhost:{}", front.address.port());
        let settings = [endpoint, file.setting(), "--otel-traces-sampler-arg=0".into()];
        let traced = Traced::start(world, &settings).await;
        let email = |n: u32| format!("{n}@example.com");
        let body = |n| json!({ "email": email(n), "course_id": PAID_COURSE, "mode": "verified" });
        let unsampled = "0af7651916cd43dd8448eb211c80319c";
        for (n, parent) in [
            (1, None),
            (2, Some(format!("00-{unsampled}-{CALLER}-00"))),
            (3, Some(format!("00-{TRACE}-{CALLER}-01"))),
        ] {
            let reply = traced.post(world, ENROLL, &body(n), parent.as_deref()).await;
            assert_eq!(reply.status, 200, "{}", reply.text);
        }
        world.drain().await;
        let (api_log, worker_log) = (traced.api.end().await, traced.worker.end().await);
        let spans = collector.spans();
        assert!(!spans.is_empty() && spans.iter().all(|span| span.trace_id == TRACE), "{}", tree(&spans));
        // The logs have the ids all the same.
        line(&api_log, "request ended", "trace_id", unsampled);
        let jobs = worker_log.iter().filter(|line| line["trace_id"] == unsampled).count();
        assert!(jobs >= 2, "the grant and the mail: {worker_log:#?}");
    })
    .await;
}

#[tokio::test]
async fn a_collector_that_is_unavailable_holds_up_nothing() {
    world(Setup::without_workers(), async |world| {
        let away = format!("--otel-exporter-otlp-endpoint=http://127.0.0.1:{}", free_port());
        let traced = Traced::start(world, &[away]).await;
        let body = json!({ "email": EMAIL, "course_id": PAID_COURSE, "mode": "verified" });
        assert_eq!(traced.post(world, ENROLL, &body, None).await.status, 200);
        world.drain().await;
        let begun = std::time::Instant::now();
        let log = traced.api.end().await;
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        assert!(
            log.iter().any(|line| line["target"].as_str().unwrap().starts_with("opentelemetry")),
            "{log:#?}"
        );
    })
    .await;
}

/// Buys a course that the platform refuses to open, and refunds it. Returns the order.
async fn refused_and_refunded(world: &World, traced: &Traced) -> String {
    let mut basket = world.basket(&ORGANISATIONS[0]).await;
    basket["email"] = json!(EMAIL);
    let reply = traced.post(world, GUEST_CHECKOUT, &basket, None).await;
    let cart = reply.json["cart_id"].as_str().unwrap().to_owned();
    // The notification, and the refund, come to the api that exports traces.
    let payment = world.payment(&cart).await;
    world.at_provider("pay", reference(&payment), json!({ "notify": false })).await;
    let ours = payment["our_reference"].as_str().unwrap();
    let event = notifications::success(&ORGANISATIONS[0], reference(&payment), ours, 19_900, "USD");
    let header = notifications::signature(world, "stripe", "whsec_demo_northwind", &event);
    let told = world.http.post(format!("{}/storeapi/payment/notifications/stripe/northwind/", traced.base));
    let told = told.header("content-type", "application/json").header(header.0, header.1).body(event);
    assert_eq!(Reply::read(told).await.status, 200);
    world.cart_becomes(&cart, "fulfilled").await;
    world.eventually("the refusal", async |world| world.transaction(&cart).await.2.is_some()).await;
    let key = key(world, "northwind", &[Scope::Refunds]).await;
    let refund = world.http.post(format!("{}{}", traced.base, refunds::path(&cart))).json(&json!({}));
    let refund = refund.header("organisationapikey", &key).header("idempotency-key", "once");
    assert_eq!(Reply::read(refund).await.status, 200);
    world.cart_becomes(&cart, "refunded").await;
    world.drain().await;
    cart
}

fn each_line_names(cart: &str, api_log: &[Value], worker_log: &[Value]) {
    let of_cart = |log: &[Value], message: &str| -> Vec<Value> {
        let is_it = |line: &&Value| line["message"] == message && line["cart"] == cart;
        log.iter().filter(is_it).cloned().collect()
    };
    let requests = of_cart(api_log, "request ended");
    assert!(requests.iter().any(|line| line["route"] == GUEST_CHECKOUT), "{api_log:#?}");
    let jobs = of_cart(worker_log, "job ended");
    for kind in [
        "checkout.start.v1",
        "payment.notification.v1",
        "platform.sync_enrollment.v1",
        "email.send.v1",
        "checkout.refund.v1",
    ] {
        assert!(jobs.iter().any(|line| line["kind"] == kind), "{kind}: {jobs:#?}");
    }
    // So do the lines within a job.
    let refused = worker_log.iter().find(|line| {
        line["message"].as_str().is_some_and(|text| text.starts_with("course platform refused"))
    });
    assert!(refused.is_some_and(|line| line.to_string().contains(cart)), "{worker_log:#?}");
}

fn each_span_names(cart: &str, spans: &[ReceivedSpan], shown: &str) {
    let named =
        |name: &str| -> Vec<&ReceivedSpan> { spans.iter().filter(|span| span.name == name).collect() };
    let is_about = |span: &&ReceivedSpan| span.attributes.get("cart").is_some_and(|of| of == cart);
    for name in [
        "process checkout.start.v1",
        "process payment.notification.v1",
        "job.sync_enrollment",
        "job.refund_order",
        "POST /api/enrollment/v1/enrollment",
    ] {
        assert!(named(name).iter().any(is_about), "{name}\n{}", tree(spans));
    }
    let checkout = named("process checkout.start.v1")[0];
    for name in ["process payment.notification.v1", "process checkout.refund.v1"] {
        let linked = named(name)
            .into_iter()
            .any(|span| span.trace_id != checkout.trace_id && span.links.contains(&checkout.trace_id));
        assert!(linked, "{name} is not linked with the checkout\n{}", tree(spans));
    }
    let shown: Value = serde_json::from_str(shown).unwrap();
    let history = shown[0]["history"].as_array().unwrap().clone();
    let traces: Vec<&str> = history.iter().filter_map(|moment| moment["trace_id"].as_str()).collect();
    assert!(traces.contains(&checkout.trace_id.as_str()), "{history:#?}");
    let settled = named("process payment.notification.v1");
    assert!(settled.iter().any(|span| traces.contains(&span.trace_id.as_str())), "{history:#?}");
}

#[tokio::test]
async fn one_order_is_found_in_the_logs_and_traces_of_all_that_happened_to_it() {
    world(Setup::without_workers(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        let veto = json!({ "course_id": PAID_KEY, "veto": true });
        world.sim(Method::POST, "/_sim/courses", Some(veto)).await;
        let collector = Collector::start().await;
        let traced = Traced::start(world, &settings(&collector, &[])).await;
        let cart = refused_and_refunded(world, &traced).await;
        let (done, shown) = payments(world, &["show", &cart, "--json"]).await;
        assert!(done, "{shown}");
        let (api_log, worker_log) = (traced.api.end().await, traced.worker.end().await);
        each_line_names(&cart, &api_log, &worker_log);
        each_span_names(&cart, &collector.spans(), &shown);
    })
    .await;
}
