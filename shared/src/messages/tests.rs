//! One body of each message as it is on the wire.

use std::collections::HashSet;
use std::mem;

use serde_json::{Value, json};
use uuid::Uuid;

use super::*;

type Wire = (&'static str, Queue, Value);

const EMAIL: &str = "ada@example.com";

/// Each message's kind, its queue, and a body.
fn wire() -> Vec<Wire> {
    [commands(), decisions(), tasks()].concat()
}

fn commands() -> Vec<Wire> {
    let id = Uuid::nil();
    let (email, organisation_id) = (EMAIL, id);
    let learner = json!({ "user_id": 7, "username": "ada", "name": "Ada", "is_active": true });
    let items = json!([{ "kind": "course", "id": id, "mode": "verified" }]);
    let idempotency = json!({ "scope": "grant", "key": "k", "request_hash": [1, 2] });
    vec![
        asked::<StartCheckout>(json!({
            "email": email, "learner": learner, "organisation_id": organisation_id, "items": items,
            "billing_address": null, "country": "IN", "idempotency": null,
        })),
        asked::<SetCart>(json!({
            "email": email, "learner": learner, "organisation_id": organisation_id, "items": items,
            "billing_address": null, "country": null, "idempotency": null,
        })),
        asked::<CheckoutCart>(json!({
            "email": email, "learner": learner, "organisation_id": organisation_id, "idempotency": null,
        })),
        asked::<ShowPayment>(json!({ "cart_id": id })),
        asked::<RefundOrder>(json!({
            "cart_id": id, "caller": { "key": { "id": "0123456789ab", "organisation_id": organisation_id } },
            "items": [0, 2], "amount": "12.50", "reason": null, "despite_dispute": false, "idempotency": idempotency,
        })),
        asked::<GrantEnrollment>(
            json!({ "email": email, "course_id": id, "mode": "audit", "idempotency": idempotency }),
        ),
        asked::<RemoveEnrollment>(json!({ "email": email, "course_id": id, "idempotency": null })),
        asked::<SubmitBatch>(json!({
            "rows": [{ "email": email, "action": "unenroll", "course_id": id, "mode": null, "fault": null }],
            "idempotency": null,
        })),
        asked::<ActAtDesk>(json!({
            "caller": { "key": { "id": "0123456789ab", "organisation_id": organisation_id } },
            "action": { "correct_address": { "cart_id": id, "email": email } }, "idempotency": null,
        })),
        asked::<QuoteBasket>(json!({
            "buyer": { "email": email, "learner": learner }, "organisation_id": organisation_id, "items": items,
            "voucher": "SPRING", "country": "IN",
        })),
        asked::<CreateVouchers>(json!({
            "organisation_id": organisation_id, "key": "0123456789ab", "code": "SPRING", "count": 1,
            "terms": {
                "value": { "kind": "percent", "value": "12.5" }, "max_uses": 3, "max_uses_per_buyer": 1, "budget": null,
                "valid_from": null, "valid_until": "2026-01-01T00:00:00Z", "course_ids": [id], "program_ids": [],
                "campaign": null, "note": null,
            },
            "idempotency": null,
        })),
        asked::<ChangeVoucher>(json!({
            "voucher_id": id, "key": "0123456789ab", "changes": { "max_uses": 3, "valid_until": null }, "idempotency": null,
        })),
        asked::<RevokeSeats>(json!({
            "voucher_id": id, "caller": { "key": "0123456789ab" }, "emails": [email], "idempotency": null,
        })),
        asked::<RemindSeats>(json!({
            "voucher_id": id, "caller": "link", "emails": null, "idempotency": idempotency,
        })),
    ]
}

fn decisions() -> Vec<Wire> {
    let (id, organisation_id, email) = (Uuid::nil(), Uuid::nil(), EMAIL);
    let idempotency = json!({ "scope": "s", "key": "k", "request_hash": [1] });
    let learner = json!({ "user_id": 7, "username": "ada", "name": "Ada", "is_active": true });
    vec![
        asked::<MoveLine>(json!({
            "cart_id": id, "caller": { "learner": { "account": learner, "email": email } }, "position": 0,
            "to": { "openedx_course_id": "course-v1:A+B+C" }, "reason": null, "waive": false, "idempotency": null,
        })),
        asked::<KeepEndpoint>(json!({
            "caller": { "key": { "id": "0123456789ab", "organisation_id": organisation_id } },
            "change": { "rotate": { "endpoint_id": id } },
        })),
        asked::<ReportPayment>(json!({
            "cart_id": id, "caller": { "key": { "id": "0123456789ab", "organisation_id": organisation_id } },
            "report": { "received": { "amount": "12.50", "received_at": "2026-01-01T00:00:00Z", "reference": "line 7" } },
            "idempotency": idempotency,
        })),
        asked::<CorrectInvoice>(json!({
            "cart_id": id, "caller": { "key": { "id": "0123456789ab", "organisation_id": organisation_id } },
            "billing_address": { "name": null, "line1": null, "line2": null, "city": null, "state": null, "postal_code": null,
                "country": "DE", "company": "Engines & Sons", "tax_id": "DE123456789" },
            "idempotency": null,
        })),
        asked::<ReportDocument>(json!({
            "document_id": id, "caller": { "key": { "id": "0123456789ab", "organisation_id": organisation_id } },
            "report": { "cleared": {
                "clearance": { "authority": "KSeF", "number": "1", "at": "2026-01-01T01:00:00+01:00", "qr": "https://ksef.example/" },
                "file": { "media_type": "application/xml", "bytes": "PGEvPg==" },
            } },
        })),
        asked::<DecideWithdrawal>(json!({
            "withdrawal_id": id, "caller": { "key": { "id": "0123456789ab", "organisation_id": organisation_id } },
            "decision": { "accept": { "amount": "12.50" } }, "reason": null, "idempotency": null,
        })),
    ]
}

fn tasks() -> Vec<Wire> {
    let id = Uuid::nil();
    let (email, organisation_id) = (EMAIL, id);
    vec![
        sent::<ProviderNotification>(
            json!({ "gateway": "stripe", "organisation_id": organisation_id, "body": "{}",
                "signature": { "value": "t=1,v1=00", "received_at": "2026-01-01T00:00:00Z" } }),
        ),
        sent::<SettleNotification>(json!({ "notification_id": 7 })),
        sent::<CheckPayment>(json!({ "transaction_id": id })),
        sent::<CheckRefund>(json!({ "refund_id": id })),
        sent::<ReadPayouts>(json!({ "organisation_id": organisation_id, "gateway": "stripe" })),
        sent::<DeclareWithdrawal>(
            json!({ "order": id, "email": email, "name": "Ada", "items": [0], "declared_at": "2026-01-01T00:00:00Z",
            "proof": { "session": { "account": { "user_id": 7, "username": "ada", "name": "Ada", "is_active": true }, "email": email } } }),
        ),
        sent::<ObjectToWithdrawal>(json!({ "withdrawal_id": id })),
        sent::<JoinWaitingList>(
            json!({ "course_id": id, "email": email, "language": "de", "is_proved": true }),
        ),
        sent::<AnswerWaitingList>(json!({ "entry_id": id, "answer": "confirm" })),
        sent::<MailDocument>(json!({ "document_id": id })),
        sent::<JudgeWithdrawal>(json!({ "withdrawal_id": id })),
        sent::<FulfilCart>(json!({ "cart_id": id })),
        sent::<GiveGift>(json!({ "cart_id": id })),
        sent::<SyncEnrollment>(json!({ "enrollment_id": id })),
        sent::<RegistrationHint>(json!({ "email": email })),
        sent::<ResolveRegistration>(json!({ "email": email })),
        sent::<SendEmail>(json!({ "mail_id": id })),
        sent::<ReportMails>(
            json!({ "reports": [{ "mail_id": id, "fate": "bounced", "reason": "550 5.1.1", "is_final": true }] }),
        ),
        sent::<CatalogChanged>(json!({ "generation": 3 })),
        sent::<EnrollmentHint>(
            json!({ "user_id": 42, "course": "course-v1:Acme+CS101+2026", "mode": "audit" }),
        ),
        sent::<CourseChanged>(json!({ "course": "course-v1:Acme+CS101+2026" })),
        sent::<RunBatch>(json!({ "batch_id": id })),
        sent::<DeliverEvents>(json!({ "endpoint_id": id, "lease_id": id })),
    ]
}

/// Checks that a command with a field for an idempotency key has it as its key, but for those that keep it for good, and that the
/// worker checks the key of an organisation that a body names.
fn asked<C: Command>(body: Value) -> Wire {
    let names_key = !body["key"].is_null() || !body["caller"]["key"].is_null();
    let command: C = serde_json::from_value(body.clone()).unwrap();
    assert_eq!(command.caller_key().is_some(), names_key, "{}", C::KIND);
    let is_kept = [RefundOrder::KIND, ReportPayment::KIND].contains(&C::KIND);
    if body.get("idempotency").is_some() && !is_kept {
        let mut keyed = body.clone();
        keyed["idempotency"] = json!({ "scope": "grant", "key": "k", "request_hash": [1, 2] });
        let command: C = serde_json::from_value(keyed).unwrap();
        assert_eq!(
            command.idempotency().map(|idempotency| idempotency.key.as_str()),
            Some("k"),
            "{}",
            C::KIND
        );
    }
    sent::<C>(body)
}

/// Checks that this version sends the body unchanged.
fn sent<M: Message>(body: Value) -> Wire {
    let message: M = serde_json::from_value(body.clone()).unwrap();
    assert_eq!(serde_json::to_value(message).unwrap(), body, "{}", M::KIND);
    (M::KIND, M::QUEUE, body)
}

#[test]
fn every_message_is_read_under_its_kind() {
    let (mut variants, mut kinds) = (HashSet::new(), HashSet::new());
    for (kind, queue, body) in wire() {
        assert_eq!(kind.split_once('.').unwrap().0, queue.name());
        let message = AnyMessage::read(kind, body.to_string().as_bytes()).unwrap();
        assert!(variants.insert(mem::discriminant(&message)), "{kind}");
        kinds.insert(kind);
    }
    for kind in Kind::all() {
        assert!(kinds.contains(kind.name), "no body of {}", kind.name);
    }
}

#[test]
fn an_unreadable_body_is_explained_without_its_values() {
    for body in
        [r#"{"email":"Ada \"A\" L"}"#, r#"{"email":{"Ada L":1}}"#, r#""Ada L""#, r#"{"name":"Ada L"}"#]
    {
        let error = AnyMessage::read(RegistrationHint::KIND, body.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("registration.hint.v1") && !error.contains("Ada"), "{error}");
    }
}

#[test]
fn a_kind_belongs_to_one_queue() {
    assert!(Queue::Checks.takes("checks.payment.v1"));
    for kind in ["checkout.start.v1", "check.payment.v1", "checks", "checks.", "checkss.payment.v1", ""] {
        assert!(!Queue::Checks.takes(kind), "{kind}");
    }
}
