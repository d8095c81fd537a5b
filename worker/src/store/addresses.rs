//! E-mail addresses that were stored before the storefront wrote international domains in punycode.

use shared::email::Email;
use sqlx::PgPool;

use crate::error::JobResult;

/// Numbers of stored addresses that were rewritten, and that were not.
#[derive(Debug, PartialEq, Eq)]
pub struct Rewritten {
    pub changed: usize,
    /// Left for an operator: the punycode form already has records of its own, or the domain is invalid.
    pub left: usize,
}

/// Rewrites the international domains of stored addresses to punycode. A second run changes nothing.
pub async fn rewrite_domains(db: &PgPool) -> JobResult<Rewritten> {
    let mut rewritten = Rewritten { changed: 0, left: 0 };
    for stored in in_letters(db).await? {
        let Ok(email) = Email::parse(&stored) else {
            rewritten.left += 1;
            continue;
        };
        // Only the local part is beyond ASCII.
        if email.as_str() == stored {
            continue;
        }
        match rewrite(db, &stored, email.as_str()).await? {
            true => rewritten.changed += 1,
            false => rewritten.left += 1,
        }
    }
    Ok(rewritten)
}

async fn in_letters(db: &PgPool) -> JobResult<Vec<String>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT email AS "email!" FROM learners WHERE octet_length(email) <> length(email)
           UNION SELECT email FROM enrollments WHERE octet_length(email) <> length(email)
           UNION SELECT email FROM carts WHERE octet_length(email) <> length(email)"#
    )
    .fetch_all(db)
    .await?)
}

/// Rewrites all records of an address, or none: false if records under the new form are in the way.
async fn rewrite(db: &PgPool, from: &str, to: &str) -> JobResult<bool> {
    let mut tx = db.begin().await?;
    let is_taken = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM learners WHERE email = $2)
               OR EXISTS (SELECT FROM enrollments a JOIN enrollments b USING (course_id)
                          WHERE a.email = $1 AND b.email = $2)
               OR EXISTS (SELECT FROM carts WHERE email = $2 AND buyer = 'guest:' || $2) AS "taken!""#,
        from,
        to,
    )
    .fetch_one(&mut *tx)
    .await?;
    if is_taken {
        return Ok(false);
    }
    sqlx::query!("UPDATE learners SET email = $2 WHERE email = $1", from, to).execute(&mut *tx).await?;
    sqlx::query!("UPDATE enrollments SET email = $2 WHERE email = $1", from, to).execute(&mut *tx).await?;
    sqlx::query!(
        "UPDATE carts SET email = $2, buyer = CASE WHEN buyer = 'guest:' || $1 THEN 'guest:' || $2 ELSE buyer END
         WHERE email = $1",
        from,
        to,
    )
    .execute(&mut *tx)
    .await?;
    tx.commit().await?;
    Ok(true)
}
