//! Renders one mail and hands it to SMTP, one delivery at a time. Only a lost answer of the SMTP server, or a crash before the answer
//! is recorded here, repeats a mail: under the same Message-ID, whichever task repeats it.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use shared::ids::{CartId, OrganisationId, VoucherId};
use shared::invoice_number;
use shared::link::{self, Purpose, Subject};
use shared::messages::{AccessEnds, Mail, PlaceOffered, Receipt, SendEmail, WithdrawalReceived};
use shared::queue::Envelope;
use shared::smtp_reply::Reply;
use shared::withdrawal::Agreed;
use store::catalog::organisations;
use store::error::{JobError, JobResult};
use store::model::document::Kind;
use store::money::documents::{self as stored_documents, File};
use store::plumbing::audit::{Actor, Cause};
use store::plumbing::mail_fates;
use store::plumbing::mails::{self, Branding, StoredMail, Taken};
use store::sales::links;
use texts::Localizer;
use tracing::instrument;
use url::{Url, form_urlencoded};
use uuid::Uuid;

use crate::documents::{self, OfMail};
use crate::mail::kinds::BoughtOn;
use crate::mail::letter::{Attached, Letter, Writer};
use crate::mail::{AttachedFile, Look, MailError, Message, calendar};
use crate::runtime::context::Context;

/// Lifetime of the links that prove something in a withdrawal, beyond the day until which it can be declared or is judged.
const LINK_LIFETIME: TimeDelta = TimeDelta::days(30);

/// Lifetime of the link with which an address leaves a waiting list.
const WAITING_LINK_LIFETIME: TimeDelta = TimeDelta::days(3650);

/// Lifetime that the link of an invitation names.
const INVITATION_LIFETIME: TimeDelta = TimeDelta::days(365);

/// Lifetime of the link with which the buyer of seats manages them.
const SEATS_LINK_LIFETIME: TimeDelta = TimeDelta::days(365);

#[instrument(name = "job.send_email", skip_all)]
pub async fn run(ctx: &Context, message: &SendEmail, envelope: &Envelope) -> JobResult<()> {
    let mail = match mails::take(&ctx.db, message.mail_id, ctx.clock.now()).await? {
        Taken::Mail(mail) => mail,
        Taken::Busy => return Err(JobError::Retry("another delivery is sending the mail".into())),
        Taken::Gone => {
            tracing::info!(mail = %message.mail_id, "mail was sent before, or is no longer kept");
            return Ok(());
        }
    };
    match send(ctx, &mail).await {
        Ok(Sending::Sent) => {}
        Ok(Sending::Dropped) => return mails::discard(&ctx.db, message.mail_id).await,
        Ok(Sending::Suppressed) => {
            return mail_fates::fail(&ctx.db, message.mail_id, SUPPRESSED, false, ctx.clock.now()).await;
        }
        Ok(Sending::Refused(reply)) => {
            let reason = MailError::Refused(reply).to_string();
            mail_fates::fail(&ctx.db, message.mail_id, &reason, reply.is_of_address(), ctx.clock.now())
                .await?;
            return Err(JobError::dead(reason));
        }
        Ok(Sending::Held(until)) => {
            mails::hold(&ctx.db, message.mail_id, until).await?;
            return look_again(ctx, &mail.mail).await;
        }
        Err(error) => {
            match &error {
                JobError::Reject { reason, .. } => {
                    mail_fates::fail(&ctx.db, message.mail_id, reason, false, ctx.clock.now()).await?;
                }
                _ => mails::release(&ctx.db, message.mail_id).await?,
            }
            return Err(error);
        }
    }
    let cause = Cause { actor: Actor::System, command_id: envelope.id, now: ctx.clock.now() };
    let is_reported = ctx.mailer.is_reported();
    mails::sent(&ctx.db, message.mail_id, about(&mail.mail), is_reported, cause).await
}

/// Releases a mail that was just held, if its document was reported in the meantime.
async fn look_again(ctx: &Context, mail: &Mail) -> JobResult<()> {
    let Some((cart_id, _)) = about(mail) else { return Ok(()) };
    if stored_documents::waits(&ctx.db, cart_id).await? {
        return Ok(());
    }
    let mut tx = ctx.transaction().await?;
    mails::release_of_cart(&mut tx, cart_id, ctx.clock.now()).await?;
    tx.commit().await?;
    ctx.outbox.notify_one();
    Ok(())
}

/// Why a mail is not sent to an address that gets no more. The earlier mail can be another organisation's, so the reason does not name it.
const SUPPRESSED: &str =
    "not sent: the address gets no mails, since an earlier one came back or was not wanted";

/// What became of a mail.
enum Sending {
    Sent,
    /// It has no reader any more, or would have no document: there is none, or the program that has issued it keeps the file.
    Dropped,
    /// It waits for its document, until this time at the latest.
    Held(DateTime<Utc>),
    /// Its address gets no mails any more.
    Suppressed,
    /// The mail server has refused it for good.
    Refused(Reply),
}

async fn send(ctx: &Context, stored: &StoredMail) -> JobResult<Sending> {
    let StoredMail { to, language, organisation, .. } = stored;
    if to.is_placeholder() {
        tracing::info!("mail not sent: its address was erased or has moved");
        return Ok(Sending::Dropped);
    }
    if stored.is_suppressed && !stored.mail.is_due_by_law() {
        return Ok(Sending::Suppressed);
    }
    let document = match documents::of_mail(ctx, stored).await? {
        OfMail::Attached(document) => Some(document),
        OfMail::Awaited(until) => return Ok(Sending::Held(until)),
        OfMail::Never => return Ok(Sending::Dropped),
        OfMail::None if matches!(stored.mail, Mail::DocumentFollows { .. }) => return Ok(Sending::Dropped),
        OfMail::None => None,
    };
    let localizer = ctx.texts.localizer(language, &organisation.languages);
    let letter = letter(ctx, stored, &localizer, document.as_ref()).await?;
    let document = document.map(|document| {
        let name = invoice_number::file_name(&document.number);
        AttachedFile { name, media_type: "application/pdf", content: document.pdf }
    });
    let calendar = calendar::file(&letter.beginnings, &localizer, ctx.clock.now());
    let attachments = document.into_iter().chain(calendar).collect();
    let look = Look { logo_url: organisation.logo_url.as_deref(), colour: organisation.colour.as_deref() };
    let (language, reply_to) =
        (localizer.language(), organisation.contact.as_ref().and_then(|contact| contact.email.as_ref()));
    let message = Message { letter: &letter, language, look, reply_to, attachments };
    match ctx.mailer.send(stored.id, to, message).await {
        Ok(()) => Ok(Sending::Sent),
        Err(MailError::Refused(reply)) => Ok(Sending::Refused(reply)),
        Err(error @ MailError::Later(_)) => Err(JobError::Retry(error.to_string())),
        Err(error @ MailError::Broken(_)) => Err(JobError::dead(error.to_string())),
    }
}

/// Writes the text of a mail, with the links that it needs.
async fn letter(
    ctx: &Context,
    stored: &StoredMail,
    localizer: &Localizer<'_>,
    document: Option<&File>,
) -> JobResult<Letter> {
    let StoredMail { to, mail, organisation, .. } = stored;
    let writer =
        Writer { to: localizer, organisation: &organisation.name, contact: organisation.contact.as_ref() };
    let attached = document.map(|document| attached(ctx, document, stored.link_version));
    let course = stored.course_link.clone();
    Ok(match mail {
        Mail::RegistrationInvitation { organisation_id, courses, elsewhere } => {
            writer.invitation(courses, elsewhere, registration_link(ctx, *organisation_id))
        }
        Mail::Receipt(receipt) => {
            let consents = receipt.consents.as_ref();
            let withdraw = consents.map(|agreed| withdrawal_link(ctx, receipt, agreed, stored.link_version));
            let letter = writer.receipt(receipt, bought_on(stored)?, attached, course, withdraw);
            let letter = writer.periods(letter, &periods(ctx, receipt).await?);
            writer.beginning(letter, stored.beginnings.clone())
        }
        Mail::TransferRequested(receipt) => writer.transfer(receipt, bought_on(stored)?.paid),
        Mail::DocumentAgain { cart_id, .. } => {
            let kind = document.map_or(Kind::Invoice, |document| document.kind);
            writer.document_again(&cart_id.to_string(), kind, attached)
        }
        Mail::DocumentFollows { cart_id, .. } => {
            let kind = document.map_or(Kind::Invoice, |document| document.kind);
            writer.document_follows(&cart_id.to_string(), kind, attached)
        }
        Mail::InvoiceCancelled { cart_id, .. } => writer.invoice_cancelled(&cart_id.to_string(), attached),
        Mail::InvoiceCorrected { cart_id, .. } => writer.invoice_corrected(&cart_id.to_string(), attached),
        Mail::AccessMoved(moved) => {
            let of_course = stored.beginnings.iter().filter(|course| course.name == moved.to);
            writer.beginning(writer.access_moved(moved, course), of_course.cloned().collect())
        }
        Mail::AccessEnds(ends) => access_ends(ctx, &writer, ends).await?,
        Mail::WaitingListed(listed) => writer.waiting_listed(listed, waiting_link(ctx, listed.entry_id)),
        Mail::PlaceOffered(offered) => place_offered(ctx, &writer, offered).await?,
        Mail::RefundIssued(refund) => writer.refund(refund, attached),
        Mail::SeatsReady(seats) => {
            writer.seats_ready(seats, seats_link(ctx, organisation, seats.voucher_id).await?)
        }
        Mail::SeatAssigned(seat) => {
            let giver = assigner(ctx, seat.voucher_id, organisation).await?;
            let register = (!seat.is_registered).then(|| registration_link(ctx, seat.organisation_id));
            let courses = mails::seat_courses(&ctx.db, seat.voucher_id, to, ctx.clock.now()).await?;
            writer.beginning(writer.seat_assigned(seat, &giver, register, courses.link), courses.beginnings)
        }
        Mail::WithdrawalReceived(withdrawal) => {
            let local = |at| organisations::local(&ctx.db, withdrawal.organisation_id, at);
            let declared_at = local(withdrawal.declared_at).await?;
            let judged_on = local(withdrawal.judged_at).await?.date_naive();
            let objection = objection_link(ctx, withdrawal).await?;
            writer.withdrawal_received(withdrawal, declared_at, judged_on, objection)
        }
        Mail::WithdrawalRefused(withdrawal) => {
            let declared_at =
                organisations::local(&ctx.db, withdrawal.organisation_id, withdrawal.declared_at).await?;
            writer.withdrawal_refused(withdrawal, declared_at.date_naive())
        }
    })
}

async fn access_ends(ctx: &Context, writer: &Writer<'_>, ends: &AccessEnds) -> JobResult<Letter> {
    let last = last_day(ctx, ends.organisation_id, ends.ends_at).await?;
    Ok(writer.access_ends(ends, last, buy_again_link(ctx, ends)))
}

async fn place_offered(ctx: &Context, writer: &Writer<'_>, offered: &PlaceOffered) -> JobResult<Letter> {
    let until = organisations::local(&ctx.db, offered.organisation_id, offered.until).await?;
    let buy =
        [("course", &*offered.openedx_course_id), ("mode", offered.mode.slug()), ("voucher", &*offered.code)];
    Ok(writer.place_offered(offered, until, buy_link(ctx, &buy), waiting_link(ctx, offered.entry_id)))
}

/// The items of a receipt with their days of access and its last day.
async fn periods(
    ctx: &Context,
    receipt: &Receipt,
) -> JobResult<Vec<(String, Option<i32>, Option<NaiveDate>)>> {
    let mut periods = Vec::new();
    for ((item, _), period) in receipt.items.iter().zip(&receipt.periods) {
        let last = match period.until {
            Some(until) => Some(last_day(ctx, receipt.organisation_id, until).await?),
            None => None,
        };
        periods.push((item.clone(), period.days, last));
    }
    Ok(periods)
}

/// The last day of access that ends at an instant: the end is the beginning of a day, and the day before the last one.
async fn last_day(ctx: &Context, organisation: OrganisationId, end: DateTime<Utc>) -> JobResult<NaiveDate> {
    let last = end - TimeDelta::microseconds(1);
    Ok(organisations::local(&ctx.db, organisation, last).await?.date_naive())
}

fn bought_on(stored: &StoredMail) -> JobResult<BoughtOn> {
    let paid = stored.paid_on.ok_or_else(|| JobError::dead("a receipt without a day"))?;
    Ok(BoughtOn { paid, agreed: stored.agreed_on })
}

/// Returns who has assigned a seat: the address of the pool's buyer, or the organisation if the buyer was erased.
async fn assigner(ctx: &Context, pool: VoucherId, organisation: &Branding) -> JobResult<String> {
    let buyer = store::sales::seats::get(&ctx.db, pool).await?.email;
    Ok(if buyer.is_placeholder() { organisation.name.clone() } else { buyer.as_str().to_owned() })
}

fn attached(ctx: &Context, document: &File, link_version: i32) -> Attached {
    let path = link::document_path(&ctx.links.link_secret, document.id, link_version, ctx.clock.now());
    Attached { number: document.number.clone(), url: format!("{}{path}", ctx.links.public_base_url) }
}

/// A link that a mail carries, to an order or what belongs to one. It ends with the address of the order.
async fn sign(
    ctx: &Context,
    purpose: Purpose,
    id: impl Into<Uuid>,
    expires: DateTime<Utc>,
) -> JobResult<String> {
    let subject = links::subject(&ctx.db, id).await?;
    Ok(link::sign(&ctx.links.link_secret, purpose, subject, expires))
}

/// The organisation's page for seats, with what opens this pool there; None if it has none.
async fn seats_link(ctx: &Context, organisation: &Branding, pool: VoucherId) -> JobResult<Option<String>> {
    let page = organisation.seats_url.as_deref().and_then(|url| url.parse::<Url>().ok());
    let Some(mut url) = page else { return Ok(None) };
    let token = sign(ctx, Purpose::Seats, pool, ctx.clock.now() + SEATS_LINK_LIFETIME).await?;
    url.query_pairs_mut().append_pair("voucher_id", &pool.to_string()).append_pair("token", &token);
    Ok(Some(url.into()))
}

/// The cart that a mail is about, and the mail's name in the cart's audit record.
fn about(mail: &Mail) -> Option<(CartId, &'static str)> {
    Some(match mail {
        Mail::RegistrationInvitation { .. }
        | Mail::SeatsReady(_)
        | Mail::SeatAssigned(_)
        | Mail::WaitingListed(_)
        | Mail::PlaceOffered(_) => return None,
        Mail::Receipt(receipt) if receipt.due.is_some() => (receipt.cart_id, "invoice"),
        Mail::Receipt(receipt) => (receipt.cart_id, "receipt"),
        Mail::TransferRequested(receipt) => (receipt.cart_id, "transfer_requested"),
        Mail::DocumentAgain { cart_id, .. } => (*cart_id, "document_again"),
        Mail::DocumentFollows { cart_id, .. } => (*cart_id, "document_follows"),
        Mail::InvoiceCancelled { cart_id, .. } => (*cart_id, "invoice_cancelled"),
        Mail::InvoiceCorrected { cart_id, .. } => (*cart_id, "invoice_corrected"),
        Mail::AccessMoved(moved) => (moved.cart_id, "access_moved"),
        Mail::AccessEnds(ends) if ends.is_over => (ends.cart_id, "access_ended"),
        Mail::AccessEnds(ends) => (ends.cart_id, "access_ends"),
        Mail::RefundIssued(refund) => (refund.cart_id, "refund_issued"),
        Mail::WithdrawalReceived(withdrawal) => (withdrawal.cart_id, "withdrawal_received"),
        Mail::WithdrawalRefused(withdrawal) => (withdrawal.cart_id, "withdrawal_refused"),
    })
}

/// The page on which what ends is bought again.
fn buy_again_link(ctx: &Context, ends: &AccessEnds) -> String {
    let program = ends.program_id.map(|program| ("program", program.to_string()));
    let (name, value) = program.unwrap_or_else(|| ("course", ends.openedx_course_id.clone()));
    buy_link(ctx, &[(name, &value), ("mode", ends.mode.slug())])
}

fn buy_link(ctx: &Context, parameters: &[(&str, &str)]) -> String {
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish();
    format!("{}/storeapi/payment/buy/?{query}", ctx.links.public_base_url)
}

/// The page of an entry of a waiting list. An entry can wait for years, and its address be forgotten at any time.
fn waiting_link(ctx: &Context, entry: Uuid) -> String {
    let until = ctx.clock.now() + WAITING_LINK_LIFETIME;
    let token = link::sign(&ctx.links.link_secret, Purpose::WaitingList, entry, until);
    format!("{}/storeapi/discovery/waiting-list/?token={token}", ctx.links.public_base_url)
}

/// Leads to a public page, so it never ends: only apis of versions before 1.1.0 read the time.
fn registration_link(ctx: &Context, organisation_id: OrganisationId) -> String {
    let until = ctx.clock.now() + INVITATION_LIFETIME;
    let signed =
        link::sign(&ctx.links.link_secret, Purpose::Registration, Uuid::from(organisation_id), until);
    format!("{}/storeapi/registrations/{signed}/", ctx.links.public_base_url)
}

/// The page that declares a withdrawal, with what shows that the holder of a receipt declares it. Valid for 30 days longer than the
/// period, which can end with the next working day.
fn withdrawal_link(ctx: &Context, receipt: &Receipt, agreed: &Agreed, version: i32) -> String {
    let until = receipt.paid_at + TimeDelta::days(i64::from(agreed.days) + 3) + LINK_LIFETIME;
    let subject = Subject { id: receipt.cart_id.into(), version };
    let token = link::sign(&ctx.links.link_secret, Purpose::Withdrawal, subject, until);
    format!("{}/storeapi/payment/withdraw/?token={token}", ctx.links.public_base_url)
}

/// The page on which the holder of the address can object to a declaration that nothing shows to be theirs.
async fn objection_link(ctx: &Context, withdrawal: &WithdrawalReceived) -> JobResult<Option<String>> {
    if withdrawal.is_proved {
        return Ok(None);
    }
    let until = withdrawal.judged_at + LINK_LIFETIME;
    let token = sign(ctx, Purpose::Objection, withdrawal.withdrawal_id, until).await?;
    Ok(Some(format!("{}/storeapi/payment/withdraw/objection/?token={token}", ctx.links.public_base_url)))
}
