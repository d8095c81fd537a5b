//! The pool as an executor: each statement runs on a connection of its own.

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};
use sqlx::postgres::{PgQueryResult, PgRow, PgStatement, PgTypeInfo};
use sqlx::{Describe, Either, Execute, Executor, Postgres, SqlStr};

use super::{Db, LastUse};

impl<'c> Executor<'c> for &Db {
    type Database = Postgres;

    /// Acquires a connection, and returns it before the first result is read: no caller streams from the pool.
    fn fetch_many<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, sqlx::Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let db = self.clone();
        let all = async move {
            let mut connection = db.acquire().await?;
            let results: Vec<_> = connection.fetch_many(query).try_collect().await?;
            connection.0.last_use = LastUse::Succeeded;
            Ok::<_, sqlx::Error>(stream::iter(results.into_iter().map(Ok)))
        };
        stream::once(all).try_flatten().boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<PgRow>, sqlx::Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let db = self.clone();
        Box::pin(async move {
            let mut connection = db.acquire().await?;
            let row = connection.fetch_optional(query).await?;
            connection.0.last_use = LastUse::Succeeded;
            Ok(row)
        })
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, Result<PgStatement, sqlx::Error>>
    where
        'c: 'e,
    {
        let db = self.clone();
        Box::pin(async move { db.acquire().await?.prepare_with(sql, parameters).await })
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<Postgres>, sqlx::Error>>
    where
        'c: 'e,
    {
        let db = self.clone();
        Box::pin(async move { db.acquire().await?.describe(sql).await })
    }
}
