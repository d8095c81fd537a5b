//! Moves a former shop's orders and codes in. The export is staged in tables of the session and decided by statements over all of it, so
//! that the memory does not grow with the shop. The statements are in files beside this one: the compiler cannot check those about
//! temporary tables.
//!
//! Why: `docs/decisions/moving-in.md`

mod report;
mod stage;

use std::time::Instant;

use chrono::{DateTime, Utc};
use shared::course_mode::CourseMode;
use shared::db::{Connection, Db};
use shared::gateway::Gateway;
use shared::ids::OrganisationId;
use shared::money::Currency;
use sqlx::{Connection as _, PgConnection, Row as _};

pub use report::{SECTIONS, Section};
pub use stage::{Chunk, Tables};

use crate::catalog::export;
use crate::error::{JobError, JobResult};

/// Orders that one transaction moves in: few, so that a buyer who meets it waits for tens of milliseconds.
const BATCH: i64 = 100;

/// Takes the lock of the one session. It waits, since the server takes a moment to notice that the run before has ended.
const LOCK: &str = "SET lock_timeout = '3s'; SELECT pg_advisory_lock(hashtextextended('storefront move-in', 0)); RESET lock_timeout";
const LOCK_NOT_AVAILABLE: &str = "55P03";

/// The bounds are parameters, so that the planner sees how few rows lie between them.
const FILL_BATCH: &str = "INSERT INTO batch SELECT f.*, t.is_new FROM todo t JOIN old_facts f ON f.id = t.id WHERE t.nth BETWEEN $1 AND $2";

/// Settings of the session: memory for sorts and joins over all orders, which would otherwise go to disk, and coarse statistics, which
/// suffice and are quick to collect.
const PREPARE: &str = "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET jit = off; SET work_mem = '64MB';
                       SET temp_buffers = '64MB'; SET default_statistics_target = 10";

/// The site of the former shop, and the organisation that continues it.
pub struct Run<'a> {
    pub organisation_id: OrganisationId,
    /// The domain of the site.
    pub site: &'a str,
    /// The operator, as refunds name who asked for them.
    pub actor: &'a str,
    /// The gateways whose accounts here are those with which the former shop has charged.
    pub same_accounts: &'a [Gateway],
    pub now: DateTime<Utc>,
}

/// A session that moves in. Only one can be open at a time.
pub struct Session {
    db: Connection,
}

impl Session {
    /// Opens a session.
    ///
    /// # Errors
    /// Another session is open, or the database is unavailable.
    pub async fn open(db: &Db) -> JobResult<Self> {
        let mut db = db.acquire().await?;
        match sqlx::raw_sql(LOCK).execute(&mut *db).await {
            Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(LOCK_NOT_AVAILABLE) => {
                return Err(JobError::dead("another move-in is running"));
            }
            locked => {
                locked?;
            }
        }
        sqlx::raw_sql(PREPARE).execute(&mut *db).await?;
        Ok(Self { db })
    }

    /// Makes the tables for the rows of an export.
    pub async fn tables(&mut self) -> JobResult<Tables> {
        Tables::create(&mut self.db).await
    }

    /// Copies rows into their tables until there are no more, and pauses as [`Self::write`] does.
    ///
    /// # Errors
    /// A value is not of its column's type.
    pub async fn stage(&mut self, mut next: impl AsyncFnMut() -> Option<Chunk>) -> JobResult<()> {
        while let Some(chunk) = next().await {
            let begun = Instant::now();
            chunk.copy(&mut self.db).await?;
            tokio::time::sleep(begun.elapsed()).await;
        }
        Ok(())
    }

    /// Decides what becomes of each row.
    ///
    /// # Errors
    /// The export does not have the site.
    pub async fn decide(&mut self, run: &Run<'_>) -> JobResult<()> {
        sqlx::raw_sql(include_str!("rows.sql")).execute(&mut *self.db).await?;
        self.set_run(run).await?;
        self.set_currencies().await?;
        sqlx::raw_sql(include_str!("programs.sql")).execute(&mut *self.db).await?;
        sqlx::raw_sql(include_str!("decided.sql")).execute(&mut *self.db).await?;
        sqlx::raw_sql(include_str!("codes.sql")).execute(&mut *self.db).await?;
        sqlx::raw_sql(include_str!("todo.sql")).execute(&mut *self.db).await?;
        Ok(())
    }

    async fn set_run(&mut self, run: &Run<'_>) -> JobResult<()> {
        let modes: Vec<&str> = CourseMode::slugs().collect();
        let set = sqlx::query(
            "CREATE TEMP TABLE run AS
             SELECT o.id AS organisation_id, o.short_name, o.currency, coalesce(o.languages[1], 'en') AS language, s.domain AS site,
                    s.id AS site_id, s.partner_id, NULL::text AS actor, NULL::timestamptz AS now, NULL::text[] AS modes,
                    NULL::text[] AS same_accounts,
                    (SELECT count(*) FROM lms_accounts) > 0 AS has_lms, NULL::numeric AS unit
             FROM organisations o CROSS JOIN old_sites s",
        );
        set.execute(&mut *self.db).await?;
        let kept = sqlx::query("DELETE FROM run WHERE organisation_id <> $1 OR site <> $2")
            .bind(run.organisation_id)
            .bind(run.site);
        kept.execute(&mut *self.db).await?;
        let accounts: Vec<&str> = run.same_accounts.iter().map(|gateway| gateway.name()).collect();
        let set = sqlx::query("UPDATE run SET actor = $1, now = $2, modes = $3, same_accounts = $4")
            .bind(run.actor)
            .bind(run.now)
            .bind(modes)
            .bind(accounts);
        if set.execute(&mut *self.db).await?.rows_affected() == 1 {
            return Ok(());
        }
        let known: Vec<String> = sqlx::query_scalar("SELECT domain FROM old_sites ORDER BY domain")
            .fetch_all(&mut *self.db)
            .await?;
        Err(JobError::dead(format!("the export has no site {}; it has {}", run.site, known.join(", "))))
    }

    /// Tells the statements how many minor units a currency has; none for one that is unknown.
    async fn set_currencies(&mut self) -> JobResult<()> {
        let used = "SELECT currency FROM old_orders UNION SELECT currency FROM run";
        let codes: Vec<String> = sqlx::query_scalar(used).fetch_all(&mut *self.db).await?;
        let known: Vec<Currency> = codes.iter().filter_map(|code| code.parse().ok()).collect();
        let codes: Vec<&str> = known.iter().map(|currency| currency.code()).collect();
        let digits: Vec<i32> =
            known.iter().map(|currency| i32::try_from(currency.digits()).unwrap_or_default()).collect();
        let set = sqlx::query("CREATE TEMP TABLE currencies (code text, digits integer, unit numeric)");
        set.execute(&mut *self.db).await?;
        let set = sqlx::query(
            "INSERT INTO currencies SELECT code, digits, 10::numeric ^ digits FROM unnest($1::text[], $2::integer[]) AS c (code, digits)",
        );
        set.bind(codes).bind(digits).execute(&mut *self.db).await?;
        let set = "UPDATE run SET unit = c.unit FROM currencies c WHERE c.code = run.currency; ANALYZE run; ANALYZE currencies";
        sqlx::raw_sql(set).execute(&mut *self.db).await?;
        Ok(())
    }

    /// Hands the rows of a section of the report on.
    pub async fn report(
        &mut self,
        section: &'static Section,
        take: impl FnMut(Vec<String>),
    ) -> JobResult<()> {
        report::read(&mut self.db, section, take).await
    }

    /// Number of orders that are left out although they are not sales of coupons.
    pub async fn left_out(&mut self) -> JobResult<i64> {
        count(&mut self.db, "SELECT count(*) FROM findings WHERE kind = 'left out'").await
    }

    /// True if the export says who has an account at the course platform.
    pub async fn has_platform(&mut self) -> JobResult<bool> {
        Ok(count(&mut self.db, "SELECT count(*) FROM run WHERE has_lms").await? == 1)
    }

    /// Number of orders that are new here or have news.
    pub async fn to_do(&mut self) -> JobResult<i64> {
        count(&mut self.db, "SELECT count(*) FROM todo").await
    }

    /// Moves the orders in, batch by batch, and pauses after each for as long as it took, so that the shop beside it has half of the
    /// database's time at least. What a batch has written stays if a later one fails, and is not written again.
    pub async fn write(&mut self, mut done: impl FnMut(i64)) -> JobResult<()> {
        let most = self.to_do().await?;
        let mut first = 1;
        while first <= most {
            let last = most.min(first + BATCH - 1);
            let begun = Instant::now();
            let mut tx = self.db.begin().await?;
            sqlx::raw_sql("TRUNCATE batch").execute(&mut *tx).await?;
            sqlx::query(FILL_BATCH).bind(first).bind(last).execute(&mut *tx).await?;
            sqlx::raw_sql(include_str!("batch.sql")).execute(&mut *tx).await?;
            tx.commit().await?;
            done(last);
            first = last + 1;
            tokio::time::sleep(begun.elapsed()).await;
        }
        Ok(())
    }

    /// Writes the codes as vouchers and seats. Returns how many.
    pub async fn write_codes(&mut self) -> JobResult<i64> {
        let ours = "SELECT count(*) FROM old_fates f JOIN vouchers v ON v.id = f.voucher_id";
        let before = count(&mut self.db, ours).await?;
        let fates = "DROP TABLE old_fates; DELETE FROM findings WHERE kind = 'code'";
        // The seats belong to orders, which are here only now.
        sqlx::raw_sql(fates).execute(&mut *self.db).await?;
        sqlx::raw_sql(include_str!("codes.sql")).execute(&mut *self.db).await?;
        let mut tx = self.db.begin().await?;
        sqlx::raw_sql(include_str!("vouchers.sql")).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(count(&mut self.db, ours).await? - before)
    }

    /// Compares what is here now with the former shop by year and currency.
    ///
    /// # Errors
    /// The first year and currency in which they differ.
    pub async fn compare(&mut self) -> JobResult<()> {
        let differing = sqlx::query(
            "SELECT f.year, f.currency, count(*) AS there, count(k.id) AS here, sum(f.total)::bigint AS sold_there,
                    coalesce(sum(k.total), 0)::bigint AS sold_here, sum(r.there)::bigint AS refunded_there,
                    coalesce(sum(r.here), 0)::bigint AS refunded_here
             FROM old_facts f LEFT JOIN carts k ON k.id = f.cart_id LEFT JOIN transactions t ON t.cart_id = k.id
             CROSS JOIN LATERAL (
                 SELECT CASE WHEN f.refunded > 0 OR t.refunded_amount > 0 THEN pg_temp.taken_over(t.id, f.refunded) ELSE 0 END AS here) o
             -- Of one payment, both shops together pay back no more than it was.
             CROSS JOIN LATERAL (
                 SELECT o.here, least(f.refunded, greatest(o.here + t.amount - t.refunded_amount, o.here)) AS there) r
             WHERE f.refusal IS NULL AND NOT f.is_coupon_sale GROUP BY 1, 2
             HAVING count(*) <> count(k.id) OR sum(f.total) <> coalesce(sum(k.total), 0) OR sum(r.there) <> coalesce(sum(r.here), 0)
             ORDER BY 1, 2 LIMIT 1",
        );
        let Some(row) = differing.fetch_optional(&mut *self.db).await? else { return Ok(()) };
        let number = |name: &str| row.try_get::<i64, _>(name);
        Err(JobError::dead(format!(
            "{} {}: there are {} orders of {} with {} refunded there, {} of {} with {} here, in minor units",
            row.try_get::<i32, _>("year")?,
            row.try_get::<String, _>("currency")?,
            number("there")?,
            number("sold_there")?,
            number("refunded_there")?,
            number("here")?,
            number("sold_here")?,
            number("refunded_here")?,
        )))
    }

    /// The lines of a catalog file with the courses that the catalog lacks, and the programs that get a price.
    pub async fn catalog(&mut self) -> JobResult<Vec<String>> {
        let mut lines: Vec<String> =
            sqlx::query_scalar(include_str!("catalog.sql")).fetch_all(&mut *self.db).await?;
        let priced =
            "SELECT program_id::text, price::text, currency FROM old_program_prices WHERE refusal IS NULL";
        let priced: Vec<(String, String, String)> = sqlx::query_as(priced).fetch_all(&mut *self.db).await?;
        for mut program in export::programs(&mut self.db).await? {
            let found = priced.iter().find(|(id, ..)| program.get("id").is_some_and(|own| own == id));
            if let (Some((_, price, currency)), Some(fields)) = (found, program.as_object_mut()) {
                fields.insert("price".to_owned(), price.as_str().into());
                fields.insert("currency".to_owned(), currency.as_str().into());
                lines.push(program.to_string());
            }
        }
        Ok(lines)
    }
}

async fn count(db: &mut PgConnection, statement: &'static str) -> JobResult<i64> {
    Ok(sqlx::query_scalar(statement).fetch_one(db).await?)
}
