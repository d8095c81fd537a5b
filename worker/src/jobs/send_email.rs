//! Renders one mail and hands it to SMTP, one delivery at a time. Only a crash between SMTP's answer and our record of it
//! repeats a mail, under the same Message-ID.

use chrono::TimeDelta;
use serde_json::json;
use shared::link;
use shared::messages::{Mail, SendEmail};

use super::Meta;
use crate::context::Context;
use crate::error::{JobError, JobResult};
use crate::mail::MailError;
use crate::store::{commands, organisations};

/// How long the link of an invitation works.
const LINK_LIFETIME: TimeDelta = TimeDelta::days(30);

pub async fn run(ctx: &Context, message: &SendEmail, meta: &Meta) -> JobResult<()> {
    if !commands::claim_message(&ctx.db, meta.id, meta.kind, ctx.clock.now()).await? {
        return Ok(());
    }
    match send(ctx, message, meta).await {
        Ok(()) => {
            let mut db = ctx.db.acquire().await?;
            let claimed = Meta { claimed: true, ..meta.clone() };
            commands::finish(&mut db, &claimed, &json!({ "Ok": "sent" }), ctx.clock.now()).await
        }
        Err(error) => {
            commands::release(&ctx.db, meta.id).await?;
            Err(error)
        }
    }
}

async fn send(ctx: &Context, message: &SendEmail, meta: &Meta) -> JobResult<()> {
    let Mail::RegistrationInvitation { organisation_id, courses } = &message.mail;
    let organisation = organisations::branding(&ctx.db, *organisation_id)
        .await?
        .ok_or_else(|| JobError::dead(format!("no organisation {organisation_id}")))?;
    let signed =
        link::sign_registration(&ctx.links.link_secret, *organisation_id, ctx.clock.now() + LINK_LIFETIME);
    let base = &ctx.links.public_base_url;
    let values = json!({
        "organisation": organisation.name,
        "logo_url": organisation.logo_url,
        "courses": courses,
        "link": format!("{base}/storeapi/registrations/{signed}/"),
    });
    let subject = format!("Your place at {}", organisation.name);
    let sent = ctx.mailer.send(meta.id, &message.to, &subject, "registration_invitation", values).await;
    sent.map_err(|error| match error {
        MailError::Later(_) => JobError::Retry(error.to_string()),
        MailError::Refused(_) | MailError::Broken(_) => JobError::dead(error.to_string()),
    })
}
