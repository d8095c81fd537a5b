//! Creates a database for each test by copying a template that has the schema and the demo catalog.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::time::Duration;

use shared::clock::Clock;
use shared::db::{Db, Needs};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, PgPool};

use super::leftovers::Claim;
use super::setting;

/// The URLs of one test database, by role.
pub struct Urls {
    pub owner: String,
    pub api: String,
    pub worker: String,
}

/// Advisory lock for creating the template, shared by all test processes.
const LOCK: i64 = 7_316_074;

/// What the template holds beside the schema.
const CATALOG: &str = "deploy/demo-catalog/catalog.jsonl";

fn admin_url() -> String {
    setting("TEST_DATABASE_ADMIN_URL", "postgres://postgres@127.0.0.1:5432/postgres")
}

fn urls(database: &str) -> Urls {
    let api = setting("TEST_API_DATABASE_URL_BASE", "postgres://storefront_api:storefront@127.0.0.1:5432");
    let worker =
        setting("TEST_WORKER_DATABASE_URL_BASE", "postgres://storefront_worker:storefront@127.0.0.1:5432");
    let owner =
        setting("TEST_OWNER_DATABASE_URL_BASE", "postgres://storefront_owner:storefront@127.0.0.1:5432");
    Urls {
        owner: format!("{owner}/{database}"),
        api: format!("{api}/{database}"),
        worker: format!("{worker}/{database}"),
    }
}

/// Creates a database with this name from the template.
pub async fn create(name: &str) -> Urls {
    let mut admin = PgConnection::connect(&admin_url()).await.expect("DATABASE_ADMIN_URL");
    // Held until the connection ends. Tests share it unless there is no template yet.
    lock(&mut admin, "SELECT pg_advisory_lock_shared($1)").await;
    let template = template_name();
    if !exists(&mut admin, &template).await {
        lock(&mut admin, "SELECT pg_advisory_unlock_shared($1)").await;
        lock(&mut admin, "SELECT pg_advisory_lock($1)").await;
        if !exists(&mut admin, &template).await {
            make_template(&mut admin, &template).await;
        }
    }
    let strategy = strategy(&mut admin).await;
    let create =
        format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY {strategy} OWNER storefront_owner");
    execute(&mut admin, create).await;
    admin.close().await.expect("close");
    urls(name)
}

/// The faster way to copy a database: by its files, unless the checkpoint before that waits for a disk.
async fn strategy(admin: &mut PgConnection) -> &'static str {
    let fsync: String = sqlx::query_scalar("SHOW fsync").fetch_one(admin).await.expect("settings");
    if fsync == "off" { "file_copy" } else { "wal_log" }
}

/// A database with the demo catalog that a test uses as the replica of another one.
pub struct ReplicaDatabase {
    name: String,
    claim: Claim,
    pub db: PgPool,
    pub api_url: String,
}

impl ReplicaDatabase {
    pub async fn create() -> Self {
        let name = format!("t{}", uuid::Uuid::now_v7().simple());
        let claim = Claim::new(&name, &name);
        let urls = create(&name).await;
        let db = PgPool::connect(&urls.owner).await.expect("database");
        Self { name, claim, db, api_url: urls.api }
    }

    pub async fn drop(self) {
        self.db.close().await;
        drop(&self.name).await;
        self.claim.release();
    }
}

/// Migrates a database as `storefront-worker migrate` does. Its connections end with the pool; PostgreSQL waits for that before it renames
/// or copies the database.
async fn migrate(owner: &str) {
    let options = owner.parse().expect("a URL");
    let db = Db::new(options, 2, Duration::ZERO, Needs::Writes).expect("a pool");
    shared::schema::migrate(&db).await.expect("migrate");
}

/// Drops the database, even while connections are open.
pub async fn drop(name: &str) {
    let mut admin = PgConnection::connect(&admin_url()).await.expect("DATABASE_ADMIN_URL");
    execute(&mut admin, format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
}

/// Replaces the database by one without tables, even while connections are open.
pub async fn replace_by_empty(name: &str) {
    drop(name).await;
    let mut admin = PgConnection::connect(&admin_url()).await.expect("DATABASE_ADMIN_URL");
    create_empty(&mut admin, name).await;
}

async fn create_empty(admin: &mut PgConnection, name: &str) {
    execute(
        admin,
        format!(
            "CREATE DATABASE {name} OWNER storefront_owner TEMPLATE template0 ENCODING 'UTF8' \
             LC_COLLATE 'C.UTF-8' LC_CTYPE 'C.UTF-8'"
        ),
    )
    .await;
}

/// Removes the catalog and everything that refers to it, as the owner: the ledger, which refuses that, is among it.
pub const EMPTY_CATALOG: &str = "ALTER TABLE ledger DISABLE TRIGGER ledger_append_only;
    ALTER TABLE documents DISABLE TRIGGER documents_append_only;
    ALTER TABLE document_files DISABLE TRIGGER document_files_append_only;
    ALTER TABLE document_originals DISABLE TRIGGER document_originals_append_only;
    TRUNCATE organisations, tags, exchange_rates, imported_records CASCADE;
    ALTER TABLE document_originals ENABLE TRIGGER document_originals_append_only;
    ALTER TABLE document_files ENABLE TRIGGER document_files_append_only;
    ALTER TABLE documents ENABLE TRIGGER documents_append_only;
    ALTER TABLE ledger ENABLE TRIGGER ledger_append_only";

/// Removes the demo catalog.
pub async fn empty(database: &Urls) {
    let mut db = PgConnection::connect(&database.owner).await.expect("storefront_owner");
    execute(&mut db, EMPTY_CATALOG.to_owned()).await;
}

/// The template's name contains a digest of its sources, so that a changed migration leads to a new template. The
/// importer's source counts too, since the template holds the imported catalog.
fn template_name() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut sources = vec![root.join(CATALOG)];
    for folder in ["migrations", "migrations/functions", "worker/src/catalog"] {
        let files = std::fs::read_dir(root.join(folder)).expect(folder);
        sources.extend(files.map(|file| file.expect("a file").path()).filter(|path| path.is_file()));
    }
    sources.sort();
    let mut digest = DefaultHasher::new();
    for source in sources {
        std::fs::read(source).expect("a source").hash(&mut digest);
    }
    format!("storefront_test_template_{:016x}", digest.finish())
}

async fn exists(admin: &mut PgConnection, database: &str) -> bool {
    sqlx::query_scalar("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)")
        .bind(database)
        .fetch_one(admin)
        .await
        .expect("databases")
}

async fn lock(admin: &mut PgConnection, sql: &'static str) {
    sqlx::query(sql).bind(LOCK).execute(admin).await.expect("lock");
}

async fn make_template(admin: &mut PgConnection, name: &str) {
    let making = format!("{name}_making");
    drop_templates(admin).await;
    create_empty(admin, &making).await;
    migrate(&urls(&making).owner).await;
    let db = PgPool::connect(&urls(&making).worker).await.expect("storefront_worker");
    let catalog = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(CATALOG);
    worker::catalog::import(&db, &catalog, &Clock::default(), None).await.expect("import");
    db.execute("DELETE FROM outbox").await.expect("clean");
    db.close().await;
    execute(admin, format!("ALTER DATABASE {making} RENAME TO {name}")).await;
}

/// Drops older templates, and a template whose creation was interrupted.
async fn drop_templates(admin: &mut PgConnection) {
    let names: Vec<String> =
        sqlx::query_scalar("SELECT datname::text FROM pg_database WHERE datname LIKE $1")
            .bind("storefront\\_test\\_template\\_%")
            .fetch_all(&mut *admin)
            .await
            .expect("databases");
    for name in names {
        execute(admin, format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
    }
}

async fn execute(admin: &mut PgConnection, sql: String) {
    sqlx::raw_sql(AssertSqlSafe(sql.clone()))
        .execute(admin)
        .await
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
}
