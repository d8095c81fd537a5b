//! Offers of a quote: courses with their modes, programs with their courses.

use std::collections::HashMap;

use chrono::{DateTime, NaiveDate, Utc};
use serde::Deserialize;
use shared::access_period::AccessPeriod;
use shared::course_mode::CourseMode;
use shared::dated_price::DatedPrice;
use shared::db::Db;
use shared::ids::OrganisationId;
use shared::messages::Refusal;
use shared::money::Money;
use shared::pricing::{Policy, RegionalTerms};
use shared::region::Country;
use shared::withdrawal;
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use crate::error::JobResult;
use crate::model::offer::ModeOffer;
use crate::model::seller::{OnAccount, Organisation, Seller};
use crate::model::tax::TaxRate;

/// A course as it is sold.
#[derive(Debug, Deserialize)]
pub struct CourseOffer {
    pub id: Uuid,
    pub organisation_id: OrganisationId,
    pub openedx_course_id: String,
    pub display_name: String,
    pub is_published: bool,
    pub is_invite_only: bool,
    pub ends_at: Option<DateTime<Utc>>,
    pub enrollment_start: Option<DateTime<Utc>>,
    pub enrollment_end: Option<DateTime<Utc>>,
    pub modes: Vec<ModeOffer>,
}

/// A program as it is sold.
#[derive(Debug, Deserialize)]
pub struct ProgramOffer {
    pub organisation_id: OrganisationId,
    pub name: String,
    pub is_published: bool,
    pub is_invite_only: bool,
    /// The full price.
    pub price: Option<Money>,
    pub dated_prices: Vec<DatedPrice>,
    #[serde(flatten)]
    pub access: AccessPeriod,
    /// The courses in order, published or not.
    pub courses: Vec<Uuid>,
}

/// Sources from which a basket is priced.
pub struct Offers {
    pub organisation: Organisation,
    pub policy: Policy,
    /// The courses of the basket and of its programs, by id.
    pub courses: HashMap<Uuid, CourseOffer>,
    /// The programs of the basket, by id.
    pub programs: HashMap<Uuid, ProgramOffer>,
    /// None: the organisation charges no tax.
    pub seller: Option<Seller>,
    /// The day at the organisation.
    pub today: NaiveDate,
    /// The rates of the buyer's country, or of the seller's if that is unknown.
    pub tax_rates: Vec<TaxRate>,
    /// None: the organisation offers no right of withdrawal.
    pub withdrawal: Option<withdrawal::Terms>,
}

/// Reads an organisation with its regional prices and tax, and these courses and programs, in one statement: checkouts wait for
/// it. None if there is no such organisation.
pub async fn read(
    db: &Db,
    organisation_id: OrganisationId,
    courses: &[Uuid],
    programs: &[Uuid],
    country: Option<Country>,
    now: DateTime<Utc>,
) -> JobResult<Option<Offers>> {
    let row = sqlx::query!(
        r#"WITH sold AS (
               SELECT p.id, p.organisation_id, p.name, p.is_published, p.is_invite_only,
                      CASE WHEN p.price IS NOT NULL THEN json_build_object('minor', p.price, 'currency', p.currency) END AS price, p.dated_prices, p.access_days, p.access_until,
                      ARRAY(SELECT c.course_id FROM program_courses c WHERE c.program_id = p.id ORDER BY c.position) AS courses
               FROM programs p WHERE p.id = ANY($3)),
           taught AS (
               SELECT id, organisation_id, openedx_course_id, display_name, is_published, is_invite_only, ends_at,
                      enrollment_start, enrollment_end,
                      (SELECT coalesce(json_agg(json_build_object(
                                  'mode', m.slug, 'price', json_build_object('minor', m.price, 'currency', m.currency), 'visible', m.visible,
                                  'expires_at', m.expires_at, 'dated_prices', m.dated_prices,
                                  'access_days', m.access_days, 'access_until', m.access_until)), '[]')
                       FROM course_modes m WHERE m.course_id = courses.id) AS modes
               FROM courses WHERE id = ANY($2 || ARRAY(SELECT unnest(courses) FROM sold)))
           SELECT o.name, o.return_url, o.gateway,
                  CASE WHEN o.seller IS NOT NULL THEN o.bank_transfer -> 'on_account' END AS "on_account: Json<OnAccount>",
                  coalesce(p.enabled, false) AS "enabled!",
                  (SELECT coalesce(json_object_agg(country, json_build_object('percent_off', percent_off::text)), '{}')
                   FROM pricing_policy_countries WHERE organisation_id = o.id)
                      AS "countries!: Json<HashMap<Country, RegionalTerms>>",
                  (SELECT coalesce(json_object_agg(id, to_json(taught)), '{}') FROM taught)
                      AS "courses!: Json<HashMap<Uuid, CourseOffer>>",
                  (SELECT coalesce(json_object_agg(id, to_json(sold)), '{}') FROM sold)
                      AS "programs!: Json<HashMap<Uuid, ProgramOffer>>",
                  o.seller AS "seller: Json<Seller>", ($5::timestamptz AT TIME ZONE day_zone(o.seller))::date AS "today!", o.withdrawal AS "withdrawal: Json<withdrawal::Terms>",
                  (SELECT coalesce(json_agg(json_build_object(
                              'state', r.state, 'postal_codes', r.postal_codes, 'valid_from', r.valid_from,
                              'components', r.components, 'note', r.note)), '[]')
                   FROM tax_rates r WHERE r.organisation_id = o.id AND r.country = coalesce($4, CASE o.seller ->> 'country' WHEN 'MC' THEN 'FR' ELSE o.seller ->> 'country' END))
                      AS "tax_rates!: Json<Vec<TaxRate>>"
           FROM organisations o LEFT JOIN pricing_policies p ON p.organisation_id = o.id WHERE o.id = $1"#,
        organisation_id as _,
        courses,
        programs,
        country.map(|country| country.to_string()),
        now,
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|row| Offers {
        organisation: Organisation {
            name: row.name,
            return_url: row.return_url,
            gateway: row.gateway,
            on_account: row.on_account,
        },
        policy: Policy { enabled: row.enabled, countries: row.countries.0 },
        courses: row.courses.0,
        programs: row.programs.0,
        seller: row.seller.map(|seller| seller.0),
        today: row.today,
        tax_rates: row.tax_rates.0,
        withdrawal: row.withdrawal.map(|terms| terms.0),
    }))
}

/// Facts that a partner's grant needs about one course and one of its modes.
pub struct GrantedCourse {
    /// Indicates whether the course has the mode; the next field says when it expires.
    pub has_mode: bool,
    pub mode_expires_at: Option<DateTime<Utc>>,
}

impl GrantedCourse {
    /// Checks that the course has the mode. A partner may also grant a closed, hidden or invite-only course.
    ///
    /// # Errors
    /// `UnsupportedMode`.
    pub fn check_mode(&self, mode: CourseMode, now: DateTime<Utc>) -> Result<(), Refusal> {
        let fault = match self.mode_expires_at {
            _ if !self.has_mode => format!("the course has no mode {mode}"),
            Some(end) if end <= now => format!("the course's mode {mode} has expired"),
            _ => return Ok(()),
        };
        Err(Refusal::UnsupportedMode { detail: fault })
    }
}

/// Reads a course for a partner's grant in a mode.
pub async fn granted_course(db: &Db, id: Uuid, mode: CourseMode) -> JobResult<Option<GrantedCourse>> {
    Ok(sqlx::query_as!(
        GrantedCourse,
        r#"SELECT m.slug IS NOT NULL AS "has_mode!", m.expires_at AS "mode_expires_at?"
           FROM courses c LEFT JOIN course_modes m ON m.course_id = c.id AND m.slug = $2 WHERE c.id = $1"#,
        id,
        mode as CourseMode,
    )
    .fetch_optional(db)
    .await?)
}

/// Returns whether there is a course with this id, published or not.
pub async fn course_exists(db: &Db, id: Uuid) -> JobResult<bool> {
    Ok(sqlx::query_scalar!(r#"SELECT EXISTS (SELECT FROM courses WHERE id = $1) AS "exists!""#, id)
        .fetch_one(db)
        .await?)
}

/// Reads an organisation's tax rates of a country.
pub async fn tax_rates(
    db: &mut PgConnection,
    organisation_id: OrganisationId,
    country: Country,
) -> JobResult<Vec<TaxRate>> {
    let rates = sqlx::query_scalar!(
        r#"SELECT json_build_object('state', state, 'postal_codes', postal_codes, 'valid_from', valid_from,
                      'components', components, 'note', note)
                  AS "rate!: Json<TaxRate>"
           FROM tax_rates WHERE organisation_id = $1 AND country = $2"#,
        organisation_id as _,
        country.to_string(),
    );
    Ok(rates.fetch_all(db).await?.into_iter().map(|rate| rate.0).collect())
}
