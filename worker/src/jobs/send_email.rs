//! Renders one mail and hands it to SMTP, one delivery at a time. Only a crash between the SMTP server's answer and its
//! record here repeats a mail, under the same Message-ID.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use shared::email::Email;
use shared::link::{self, Purpose};
use shared::messages::{Mail, Receipt, SendEmail};
use shared::money::Money;
use shared::queue::Envelope;
use store::error::{JobError, JobResult};
use store::money::documents::File;
use store::plumbing::audit::{self, Actor, Cause, Change, Entity};
use store::plumbing::mails::{self, Branding, StoredMail, Taken};
use tracing::instrument;
use url::Url;
use uuid::Uuid;

use crate::documents;
use crate::mail::Letter;
use crate::mail::MailError;
use crate::runtime::context::Context;

/// Lifetime of the link in an invitation.
const LINK_LIFETIME: TimeDelta = TimeDelta::days(30);

/// Lifetime of the link with which the buyer of seats manages them.
const SEATS_LINK_LIFETIME: TimeDelta = TimeDelta::days(365);

#[instrument(name = "job.send_email", skip_all)]
pub async fn run(ctx: &Context, message: &SendEmail, envelope: &Envelope) -> JobResult<()> {
    let StoredMail { to, mail, organisation } =
        match mails::take(&ctx.db, message.mail_id, ctx.clock.now()).await? {
            Taken::Mail(mail) => mail,
            Taken::Busy => return Err(JobError::Retry("another delivery is sending the mail".into())),
            Taken::Gone => {
                tracing::info!(mail = %message.mail_id, "mail was sent before, or is no longer kept");
                return Ok(());
            }
        };
    if let Err(error) = send(ctx, &to, &mail, &organisation, envelope.id).await {
        mails::release(&ctx.db, message.mail_id).await?;
        return Err(error);
    }
    let Some((cause, entry)) = entry(&mail, envelope.id, ctx.clock.now()) else {
        return mails::delete(&mut *ctx.db.acquire().await?, message.mail_id).await;
    };
    let mut tx = ctx.db.begin().await?;
    mails::delete(&mut tx, message.mail_id).await?;
    audit::record(&mut tx, cause, entry).await?;
    Ok(tx.commit().await?)
}

async fn send(ctx: &Context, to: &Email, mail: &Mail, organisation: &Branding, id: Uuid) -> JobResult<()> {
    if to.is_placeholder() {
        tracing::info!("mail not sent: its address was erased or has moved");
        return Ok(());
    }
    let (template, subject, mut values) = rendered(ctx, mail, organisation).await?;
    let document = document(ctx, mail).await?;
    if let Some(values) = values.as_object_mut() {
        if let Some(document) = &document {
            let path = link::document_path(&ctx.links.link_secret, document.id, ctx.clock.now());
            let url = format!("{}{path}", ctx.links.public_base_url);
            values.insert("document".into(), json!({ "number": document.number, "url": url }));
        }
        values.insert("organisation".into(), json!(organisation.name));
        values.insert("logo_url".into(), json!(organisation.logo_url));
    }
    // Numbers may hold slashes, which file names may not.
    let attachment =
        document.map(|document| (format!("{}.pdf", document.number.replace('/', "-")), document.pdf));
    let sent = ctx.mailer.send(id, to, Letter { subject: &subject, template, values, attachment }).await;
    sent.map_err(|error| match error {
        MailError::Later(_) => JobError::Retry(error.to_string()),
        MailError::Refused(_) | MailError::Broken(_) => JobError::dead(error.to_string()),
    })
}

/// The template, the subject and the values of a mail.
async fn rendered(
    ctx: &Context,
    mail: &Mail,
    organisation: &Branding,
) -> JobResult<(&'static str, String, Value)> {
    let from = |what: &str| format!("Your {what} from {}", organisation.name);
    Ok(match mail {
        Mail::RegistrationInvitation { organisation_id, courses, elsewhere } => (
            "registration_invitation",
            format!("Your place at {}", organisation.name),
            json!({
                "courses": courses,
                "elsewhere": elsewhere,
                "link": registration_link(ctx, *organisation_id),
            }),
        ),
        Mail::Receipt(receipt) => ("receipt", from("receipt"), receipt_values(receipt)),
        Mail::RefundIssued(refund) => (
            "refund_issued",
            from("refund"),
            json!({
                "cart_id": refund.cart_id,
                "amount": refund.amount.to_string(),
                "items": priced(&refund.items),
            }),
        ),
        Mail::SeatsReady(seats) => (
            "seats_ready",
            from("seats"),
            json!({
                "code": seats.code,
                "item": seats.item,
                "seats": seats.seats,
                "link": seats_link(ctx, organisation, seats.voucher_id),
            }),
        ),
        Mail::SeatAssigned(seat) => (
            "seat_assigned",
            format!("Your place at {}", organisation.name),
            json!({
                "from": assigner(ctx, seat.voucher_id, organisation).await?,
                "item": seat.item,
                "is_reminder": seat.is_reminder,
                "link": (!seat.is_registered).then(|| registration_link(ctx, seat.organisation_id)),
            }),
        ),
    })
}

/// Returns who has assigned a seat: the address of the pool's buyer, or the organisation if the buyer was erased.
async fn assigner(ctx: &Context, pool: Uuid, organisation: &Branding) -> JobResult<String> {
    let buyer = store::sales::seats::get(&ctx.db, pool).await?.email;
    Ok(if buyer.is_placeholder() { organisation.name.clone() } else { buyer.as_str().to_owned() })
}

/// The organisation's page for seats, with what opens this pool there; None if it has none.
fn seats_link(ctx: &Context, organisation: &Branding, pool: Uuid) -> Option<String> {
    let mut url: Url = organisation.seats_url.as_deref()?.parse().ok()?;
    let token =
        link::sign(&ctx.links.link_secret, Purpose::Seats, pool, ctx.clock.now() + SEATS_LINK_LIFETIME);
    url.query_pairs_mut().append_pair("voucher_id", &pool.to_string()).append_pair("token", &token);
    Some(url.into())
}

/// The invoice or credit note that goes with a mail, issued before it if it was not yet. None if there is none.
async fn document(ctx: &Context, mail: &Mail) -> JobResult<Option<File>> {
    let (cart_id, refund_id) = match mail {
        Mail::RegistrationInvitation { .. } | Mail::SeatsReady(_) | Mail::SeatAssigned(_) => return Ok(None),
        Mail::Receipt(receipt) => (receipt.cart_id, None),
        Mail::RefundIssued(refund) => (refund.cart_id, Some(refund.refund_id)),
    };
    if !store::money::documents::concern(&ctx.db, cart_id).await? {
        return Ok(None);
    }
    match documents::issue(ctx, cart_id).await {
        Ok(()) => store::money::documents::file(&ctx.db, cart_id, refund_id).await,
        // The reconciler continues to try, and raises an alert; the buyer need not wait for that.
        Err(error @ JobError::Reject { .. }) => {
            tracing::error!(cart = %cart_id, %error, "documents not issued; the mail goes without");
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The audit record that a mail about a cart was sent; None for a mail about no cart.
fn entry(mail: &Mail, id: Uuid, now: DateTime<Utc>) -> Option<(Cause, Change)> {
    let (cart_id, mail) = match mail {
        Mail::RegistrationInvitation { .. } | Mail::SeatsReady(_) | Mail::SeatAssigned(_) => return None,
        Mail::Receipt(receipt) => (receipt.cart_id, "receipt"),
        Mail::RefundIssued(refund) => (refund.cart_id, "refund_issued"),
    };
    let cause = Cause { actor: Actor::System, command_id: id, now };
    let detail = json!({ "mail": mail });
    Some((cause, Change { entity: Entity::Cart, id: cart_id, from: None, to: "mail_sent", detail }))
}

fn registration_link(ctx: &Context, organisation_id: Uuid) -> String {
    let until = ctx.clock.now() + LINK_LIFETIME;
    let signed = link::sign(&ctx.links.link_secret, Purpose::Registration, organisation_id, until);
    format!("{}/storeapi/registrations/{signed}/", ctx.links.public_base_url)
}

fn receipt_values(receipt: &Receipt) -> Value {
    json!({
        "cart_id": receipt.cart_id,
        "paid_on": receipt.paid_at.format("%B %-d, %Y").to_string(),
        "items": priced(&receipt.items),
        "voucher": receipt.voucher.as_ref().map(|(code, discount)| json!({ "code": code, "discount": discount.to_string() })),
        "tax": receipt.tax.map(|tax| json!({ "amount": tax.amount.to_string(), "is_included": tax.is_included })),
        "total": receipt.total.to_string(),
    })
}

fn priced(items: &[(String, Money)]) -> Vec<Value> {
    items.iter().map(|(name, price)| json!({ "name": name, "price": price.to_string() })).collect()
}
