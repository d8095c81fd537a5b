//! Converts the records of a catalog file to rows of the catalog's tables.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use shared::ids::OrganisationId;
use store::catalog::import::Batch;
use store::catalog::known::References;
use store::model::offer::{self, ModeOffer};
use uuid::Uuid;

use super::prices::{ExchangeRate, PricingPolicy, TaxComponent};
use super::record::{Banner, Course, Mode, Organisation, Program, Record, Review};

/// Adds the rows of a record; courses get the price that holds now.
///
/// # Errors
/// A reference or price that the checks would have refused.
pub fn add(
    batch: &mut Batch,
    record: &Record,
    references: &References,
    now: DateTime<Utc>,
) -> Result<(), String> {
    match record {
        Record::Organisation(organisation) => batch.organisations.push(organisation_row(organisation)),
        Record::PlatformOrganisation(mapping) => {
            let name = mapping.organisation.as_deref();
            let organisation = name.map(|name| references.organisation(name)).transpose()?;
            batch.platform_organisations.push(json!({
                "org": mapping.org, "organisation_id": organisation, "prices": mapping.prices,
            }));
        }
        Record::PricingPolicy(policy) => add_policy(batch, policy, references)?,
        Record::TaxRate(rate) => {
            let component =
                |c: &TaxComponent| json!({ "name": c.name, "rate": c.rate.normalize().to_string() });
            let components: Vec<Value> = rate.components.iter().map(component).collect();
            batch.tax_rates.push(json!({
                "organisation_id": references.organisation(&rate.organisation)?, "country": rate.country,
                "state": rate.state, "postal_codes": rate.postal_codes, "valid_from": rate.valid_from, "components": components,
                "note": rate.note,
            }));
        }
        Record::ExchangeRate(rate) => batch.rates.push(rate_row(rate)),
        Record::Tag(tag) => batch.tags.push(tag.name.clone()),
        Record::Course(course) => add_course(batch, course, references, now)?,
        Record::Program(program) => add_program(batch, program, references)?,
        Record::Banner(banner) => {
            batch.banners.push(banner_row(banner, references.organisation(&banner.organisation)?));
        }
    }
    Ok(())
}

fn add_policy(batch: &mut Batch, policy: &PricingPolicy, references: &References) -> Result<(), String> {
    let organisation = references.organisation(&policy.organisation)?;
    batch.policy_ids.push(organisation);
    batch.policies.push(json!({ "organisation_id": organisation, "enabled": policy.enabled }));
    batch.policy_countries.extend(policy.countries.iter().map(|terms| {
        json!({
            "organisation_id": organisation, "country": terms.country, "percent_off": terms.percent_off,
            "display_currency": terms.display_currency,
        })
    }));
    Ok(())
}

fn add_course(
    batch: &mut Batch,
    course: &Course,
    references: &References,
    now: DateTime<Utc>,
) -> Result<(), String> {
    let id = course.id;
    batch.course_ids.push(id);
    let offers: Result<Vec<ModeOffer>, _> = course.modes.iter().map(Mode::offer).collect();
    let offers = offers.map_err(|error| error.to_string())?;
    batch.courses.courses.push(course_row(
        course,
        references.organisation(&course.organisation)?,
        &offers,
        now,
    ));
    for (mode, ModeOffer { price, .. }) in course.modes.iter().zip(&offers) {
        batch.courses.modes.push(json!({
            "course_id": id, "slug": mode.mode_slug, "display_name": mode.mode_display_name,
            "price": price.minor(), "currency": price.currency(), "price_order": price.major(),
            "expires_at": mode.expiration_datetime, "visible": mode.visible, "description": mode.description,
            "upsellable_course_modes": mode.upsellable_course_modes, "sku": mode.sku, "bulk_sku": mode.bulk_sku,
            "dated_prices": mode.dated_prices, "access_days": mode.access_days, "access_until": mode.access_until,
        }));
    }
    if course.outline.is_some() || course.course_structure.is_some() {
        batch.courses.contents.push(json!({
            "course_id": id, "outline": course.outline, "structure": course.course_structure,
        }));
    }
    let tags = course.tags.iter().map(|tag| json!({ "course_id": id, "tag": tag }));
    batch.courses.tags.extend(tags);
    batch.courses.reviews.extend(course.reviews.iter().map(|review| review_row(review, "course_id", id)));
    Ok(())
}

fn add_program(batch: &mut Batch, program: &Program, references: &References) -> Result<(), String> {
    let id = program.id;
    let price = program.money()?;
    batch.program_ids.push(id);
    batch.programs.programs.push(json!({
        "id": id, "organisation_id": references.organisation(&program.organisation)?, "name": program.name,
        "description": program.description, "about": program.about, "achievements": program.achievements,
        "duration": program.duration, "duration_metric": program.duration_metric, "image": program.image,
        "price": price.map(|p| p.minor()), "currency": price.map(|p| p.currency()),
        "price_order": price.map(|p| p.major()), "is_invite_only": program.invite_only,
        "is_published": program.published, "created_at": program.created_at, "service_code": program.service_code,
        "dated_prices": program.dated_prices, "access_days": program.access_days, "access_until": program.access_until,
    }));
    for (position, key) in program.courses.iter().enumerate() {
        let course = references.course(key)?;
        batch.programs.courses.push(json!({ "program_id": id, "course_id": course, "position": position }));
    }
    let tags = program.tags.iter().map(|tag| json!({ "program_id": id, "tag": tag }));
    batch.programs.tags.extend(tags);
    batch.programs.reviews.extend(program.reviews.iter().map(|review| review_row(review, "program_id", id)));
    Ok(())
}

fn organisation_row(organisation: &Organisation) -> Value {
    json!({
        "id": organisation.id, "short_name": organisation.short_name, "name": organisation.name,
        "logo_url": organisation.logo_url, "favicon_url": organisation.favicon_url,
        "trademark_url": organisation.trademark_url, "registration_url": organisation.registration_url,
        "return_url": organisation.return_url, "open": organisation.open,
        "marketing_page_metadata": organisation.marketing_page_metadata, "gateway": organisation.gateway,
        "currency": organisation.currency, "refund_days": organisation.refund_days,
        "move_days": organisation.move_days, "moves_allowed": organisation.moves_allowed,
        "seller": organisation.seller, "seats_url": organisation.seats_url, "buy_url": organisation.buy_url,
        "orders_url": organisation.orders_url,
        "withdrawal": organisation.withdrawal,
        "languages": organisation.languages, "colour": organisation.colour,
        "bank_transfer": organisation.bank_transfer,
        "created_at": organisation.created_at,
    })
}

fn rate_row(rate: &ExchangeRate) -> Value {
    json!({ "base": rate.base, "quote": rate.quote, "rate": rate.rate, "as_of": rate.as_of })
}

fn banner_row(banner: &Banner, organisation: OrganisationId) -> Value {
    json!({
        "id": banner.id, "organisation_id": organisation, "title": banner.title, "image_url": banner.image_url,
        "link_url": banner.link_url, "position": banner.position, "starts_at": banner.starts_at,
        "ends_at": banner.ends_at,
    })
}

fn course_row(
    course: &Course,
    organisation: OrganisationId,
    offers: &[ModeOffer],
    now: DateTime<Utc>,
) -> Value {
    let cheapest = offer::cheapest(offers, now);
    json!({
        "id": course.id, "organisation_id": organisation, "openedx_course_id": course.openedx_course_id,
        "display_name": course.display_name, "short_description": course.short_description,
        "overview": course.overview, "image_url": course.display_image, "course_video_url": course.course_video_url,
        "number": course.number, "language": course.language, "self_paced": course.self_paced,
        "effort": course.effort, "total_minutes": course.minutes(), "is_published": course.is_published,
        "hidden": course.hidden, "is_invite_only": course.is_invite_only, "flagged_new": course.is_new,
        "starts_at": course.start, "ends_at": course.end, "advertised_start": course.start_display,
        "enrollment_start": course.enrollment_start, "enrollment_end": course.enrollment_end,
        "certificate_available_date": course.certificate_available_date,
        "has_any_active_web_certificate": course.has_any_active_web_certificate,
        "link_to_course": course.link_to_course, "created_at": course.created_at, "capacity": course.capacity,
        "service_code": course.service_code, "price": cheapest.map(|best| best.price.minor()),
        "currency": cheapest.map(|best| best.price.currency()), "course_mode": cheapest.map(|best| best.mode),
        "price_order": cheapest.map(|best| best.order), "next_mode_expiry": offer::next_change(offers, now),
        "has_dated_prices": offers.iter().any(|offer| !offer.dated_prices.is_empty()),
    })
}

fn review_row(review: &Review, subject: &str, id: Uuid) -> Value {
    json!({
        "id": review.id, subject: id, "rating": review.rating, "title": review.title, "comment": review.comment,
        "author_name": review.author_name, "created_at": review.created_at,
    })
}
