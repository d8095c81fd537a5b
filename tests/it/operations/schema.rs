//! The schema as the documents and the migrations describe it: `docs/schema.md`, `docs/schema.svg`, `docs/schema.sql` and
//! `migrations/released`; what `migrate` replaces and grants again; and the file that tells checked queries which columns hold typed
//! identifiers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Once;

use harness::steps::worker_program::operator;
use harness::{Setup, World, world};
use sha2::{Digest, Sha256};
use sqlx::AssertSqlSafe;

use crate::{doctor, schema_picture};

const RENEW: &str = "UPDATE_DOCS=1 cargo test -p storefront-it --test operations schema::";

/// The SHA-256 of what `LC_ALL=C sha256sum *` prints in `migrations/released`, so that no commit changes what was released unnoticed. A
/// release adds a file to that folder, with `RELEASE=1.2.0 cargo test -p storefront-it --test operations schema::`; the test that fails
/// then names the value for this line.
const RELEASED: &str = "5d55aafda20651a4ca27df9dffc92bf9cec45950fc5aa7367ebe2cac7fdbcc6a";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn updates() -> bool {
    std::env::var_os("UPDATE_DOCS").is_some()
}

fn database_alone() -> Setup {
    Setup { apis: 0, workers: 0, ..Setup::default() }
}

/// Compares a generated file. With `UPDATE_DOCS=1` in the environment it writes the file first.
fn compare(name: &str, present: &str) {
    let file = repository().join(name);
    if updates() {
        std::fs::write(&file, present).unwrap();
    }
    let documented = std::fs::read_to_string(&file).unwrap();
    let differs = present.lines().find(|line| !documented.lines().any(|known| known == *line));
    assert!(present == documented, "{name} is out of date, as at {differs:?}; renew it with: {RENEW}");
}

/// The schema of the database as statements.
async fn objects(world: &World) -> Vec<String> {
    sqlx::query_scalar(include_str!("schema.sql")).fetch_all(&world.db).await.unwrap()
}

#[tokio::test]
async fn the_documented_statements_make_the_migrated_schema() {
    world(database_alone(), async |world| {
        let head = "-- The present schema with its comments, generated from a migrated database. Not to be edited, and not in an order\n\
                    -- that a database would accept.";
        // The separator of searched texts is a control character.
        let present = format!("{head}\n\n{}\n", objects(world).await.join("\n\n")).replace("'\u{1f}'", r"E'\x1f'");
        compare("docs/schema.sql", &present);
    })
    .await;
}

/// Columns that hold typed identifiers: keys of their tables, and columns named after them or that refer to them.
const IDS: &str = "SELECT c.table_name::text, c.column_name::text, k.name
    FROM information_schema.columns c
    JOIN (VALUES ('organisations', 'OrganisationId'), ('learners', 'LearnerId'), ('carts', 'CartId'), ('vouchers', 'VoucherId'),
                 ('transactions', 'TransactionId'), ('refunds', 'RefundId'), ('enrollments', 'EnrollmentId'),
                 ('documents', 'DocumentId')) k (of, name)
      ON c.column_name = rtrim(k.of, 's') || '_id' OR (c.table_name = k.of AND c.column_name = 'id')
      OR EXISTS (SELECT FROM pg_constraint f JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = f.conkey[1]
                 WHERE f.contype = 'f' AND f.confrelid = k.of::regclass AND a.attname = c.column_name
                   AND f.conrelid = quote_ident(c.table_name)::regclass)
    WHERE c.table_schema = 'public' AND c.data_type = 'uuid' ORDER BY 1, c.ordinal_position";

#[tokio::test]
async fn checked_queries_know_the_type_of_every_identifier() {
    world(database_alone(), async |world| {
        let columns: Vec<(String, String, String)> = sqlx::query_as(IDS).fetch_all(&world.db).await.unwrap();
        let mut file = String::from("# The Rust types of columns in checked queries. Generated from a migrated database, for the api as well.\n");
        for table in columns.chunk_by(|(one, ..), (other, ..)| one == other) {
            write!(file, "\n[macros.table-overrides.{}]\n", table[0].0).unwrap();
            for (_, column, name) in table {
                writeln!(file, "{column} = \"shared::ids::{name}\"").unwrap();
            }
        }
        compare("worker/store/sqlx.toml", &file);
    })
    .await;
}

#[tokio::test]
async fn the_picture_shows_every_table_with_its_references() {
    world(database_alone(), async |world| {
        let document = std::fs::read_to_string(repository().join("docs/schema.md")).unwrap();
        let topics = schema_picture::topics(&document);
        let references = schema_picture::references(&world.db).await;
        compare("docs/schema.svg", &schema_picture::draw(&topics, &references));
    })
    .await;
}

/// The names in the first cells of a section's tables.
fn documented(document: &str, section: &str) -> BTreeSet<String> {
    let (_, section) = document.split_once(&format!("\n## {section}\n")).expect("the section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let cells = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    cells.flat_map(|(names, _)| names.split("`, `")).map(str::to_owned).collect()
}

async fn in_database(world: &World, names: &'static str) -> BTreeSet<String> {
    let names: Vec<String> = sqlx::query_scalar(names).fetch_all(&world.db).await.unwrap();
    names.into_iter().collect()
}

const TABLES: &str = "SELECT relname::text FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm') AND relname <> '_sqlx_migrations'";

#[tokio::test]
async fn every_table_has_a_topic_and_every_trigger_and_role_a_line() {
    world(database_alone(), async |world| {
        let document = std::fs::read_to_string(repository().join("docs/schema.md")).unwrap();
        let topics = schema_picture::topics(&document);
        let tables: BTreeSet<String> = topics.into_iter().flat_map(|topic| topic.tables).collect();
        assert_eq!(tables, in_database(world, TABLES).await, "docs/schema.md, Tables");
        for (section, names) in [
            ("Triggers", "SELECT tgname::text FROM pg_trigger WHERE NOT tgisinternal"),
            (
                "Roles",
                "SELECT rolname::text FROM pg_roles WHERE rolname IN ('storefront_owner', 'storefront_worker', 'storefront_api')",
            ),
        ] {
            assert_eq!(documented(&document, section), in_database(world, names).await, "docs/schema.md, {section}");
        }
    })
    .await;
}

/// The functions of extensions are not the schema's.
#[tokio::test]
async fn every_table_and_function_has_a_comment() {
    world(database_alone(), async |world| {
        let without = "SELECT oid::regclass::text FROM pg_class
             WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm') AND obj_description(oid, 'pg_class') IS NULL
             UNION ALL
             SELECT oid::regprocedure::text FROM pg_proc p
             WHERE pronamespace = 'public'::regnamespace AND obj_description(oid, 'pg_proc') IS NULL AND NOT EXISTS (
                 SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')";
        let without = in_database(world, without).await;
        assert!(without.is_empty(), "COMMENT ON in migrations: {without:?}");
    })
    .await;
}

/// The SHA-256 of each file of a folder whose name ends so, by its name.
fn checksums(folder: &str, ending: &str) -> BTreeMap<String, String> {
    let files = std::fs::read_dir(repository().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    files
        .filter_map(|file| {
            let name = file.file_name().unwrap().to_str().unwrap().to_owned();
            let counts = file.is_file() && name.ends_with(ending);
            counts.then(|| (name, sha256(&std::fs::read(&file).unwrap())))
        })
        .collect()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

/// Checksums in the format of `sha256sum`.
fn lines(checksums: &BTreeMap<String, String>) -> String {
    checksums.iter().fold(String::new(), |lines, (file, checksum)| format!("{lines}{checksum}  {file}\n"))
}

/// Compares the migrations with those of a release: each must be there as it was. New ones may be.
fn compared(released: &str, migrations: &BTreeMap<String, String>) -> Result<(), String> {
    for (checksum, file) in released.lines().filter_map(|line| line.split_once("  ")) {
        match migrations.get(file) {
            Some(present) if present == checksum => {}
            Some(_) => return Err(format!("{file} was edited after it was released; write a new migration")),
            None => return Err(format!("{file} was released and is missing")),
        }
    }
    Ok(())
}

/// The version and the checksums of the newest release whose migrations are recorded.
fn newest() -> Option<(Vec<u64>, String)> {
    let numbers = |version: &str| version.split('.').map(|part| part.parse().unwrap()).collect::<Vec<u64>>();
    let versions = checksums("migrations/released", "").into_keys();
    let (numbers, version) = versions.map(|version| (numbers(&version), version)).max()?;
    let recorded = std::fs::read_to_string(repository().join("migrations/released").join(version)).unwrap();
    Some((numbers, recorded))
}

/// Records the migrations of the version in `RELEASE`, if it is set, before the tests read what is recorded.
fn record() {
    static RECORDED: Once = Once::new();
    RECORDED.call_once(|| {
        let Ok(version) = std::env::var("RELEASE") else { return };
        let present = checksums("migrations", ".sql");
        let numbers: Vec<u64> = version.split('.').map(|part| part.parse().expect("a version")).collect();
        if let Some((last, recorded)) = newest() {
            assert!(numbers > last, "{version} is not newer than the last release, and never replaces one");
            compared(&recorded, &present).unwrap();
        }
        std::fs::write(repository().join("migrations/released").join(version), lines(&present)).unwrap();
    });
}

#[test]
fn a_released_migration_is_never_edited() {
    record();
    let (_, released) = newest().expect("a release");
    compared(&released, &checksums("migrations", ".sql")).unwrap();
}

#[test]
fn what_was_recorded_of_a_release_stays() {
    record();
    let present = sha256(lines(&checksums("migrations/released", "")).as_bytes());
    assert_eq!(present, RELEASED, "a file in migrations/released is new or was changed; see RELEASED");
}

#[test]
fn an_edited_or_missing_migration_is_refused() {
    let of = |files: &[(&str, &str)]| -> BTreeMap<String, String> {
        files.iter().map(|(file, checksum)| ((*file).to_owned(), (*checksum).to_owned())).collect()
    };
    let released = "aa  1_first.sql\n";
    assert_eq!(compared(released, &of(&[("1_first.sql", "aa")])), Ok(()));
    let with_new = of(&[("1_first.sql", "aa"), ("2_second.sql", "bb")]);
    assert_eq!(compared(released, &with_new), Ok(()));
    assert_eq!(lines(&with_new), "aa  1_first.sql\nbb  2_second.sql\n");
    assert!(compared(released, &of(&[("1_first.sql", "ab")])).unwrap_err().contains("was edited"));
    assert!(compared(released, &of(&[("2_second.sql", "bb")])).unwrap_err().contains("is missing"));
}

/// A migration with a stamp in the future is applied before or after those that others write meanwhile, by the database.
#[tokio::test]
async fn no_migration_comes_from_the_future() {
    world(database_alone(), async |world| {
        let now: i64 =
            sqlx::query_scalar("SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISS')::bigint")
                .fetch_one(&world.db)
                .await
                .unwrap();
        for migration in shared::schema::MIGRATIONS.iter() {
            let version = migration.version;
            assert!((20_261_101_000_000..=now).contains(&version), "{version}_{}", migration.description);
        }
    })
    .await;
}

/// As `pg_restore --no-acl`, the way of many managed databases, leaves it.
#[tokio::test]
async fn migrate_grants_the_rights_again_that_a_restore_has_left_out() {
    world(database_alone(), async |world| {
        let before = objects(world).await;
        let without_rights =
            "REVOKE ALL ON ALL TABLES IN SCHEMA public FROM storefront_worker, storefront_api;
            REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM storefront_worker, storefront_api;
            REVOKE ALL ON SCHEMA public FROM storefront_worker, storefront_api;
            ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON TABLES FROM storefront_worker;
            ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON SEQUENCES FROM storefront_worker";
        sqlx::raw_sql(without_rights).execute(&world.db).await.unwrap();
        assert_ne!(objects(world).await, before);
        let said = doctor::worker(world, &[]).await;
        let detail = doctor::detail(&said, "schema");
        assert!(detail.starts_with("lacks the rights of the programs' roles: run"), "{detail}");
        let owner = format!("--database-url={}", world.owner_url);
        let (done, said) = operator(world, &["migrate", &owner], &[]).await;
        assert!(done && said.contains("have them again"), "{said}");
        assert_eq!(objects(world).await, before);
        let said = doctor::worker(world, &[]).await;
        assert!(doctor::failed(&said).is_empty(), "{said:?}");
        let (done, said) = operator(world, &["migrate", &owner], &[]).await;
        assert!(done && !said.contains("again"), "{said}");
    })
    .await;
}

/// Leaves a database as another version does: with other functions, and without a trigger.
async fn have_functions_of(world: &World, remembered: &str) {
    let others = format!(
        "CREATE OR REPLACE FUNCTION containing(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT $1';
        DROP TRIGGER refunds_event ON refunds;
        DROP TRIGGER carts_event ON carts;
        COMMENT ON TABLE _sqlx_migrations IS {remembered}"
    );
    sqlx::raw_sql(AssertSqlSafe(others)).execute(&world.db).await.unwrap();
}

#[tokio::test]
async fn migrate_replaces_functions_of_an_older_version_and_changed_ones() {
    world(database_alone(), async |world| {
        let before = objects(world).await;
        let owner = format!("--database-url={}", world.owner_url);
        let own = concat!("'functions of ", env!("CARGO_PKG_VERSION"), ": f00d'");
        for (remembered, is_waited_for) in
            [("NULL", true), ("'functions of 0.9.0: f00d'", true), (own, false)]
        {
            have_functions_of(world, remembered).await;
            assert_ne!(objects(world).await, before);
            let said = doctor::worker(world, &[]).await;
            let detail = doctor::detail(&said, "schema");
            let lacks = detail.starts_with("lacks the functions of this version: run");
            assert_eq!(lacks, is_waited_for, "{remembered}: {detail}");
            let (done, said) = operator(world, &["migrate", &owner], &[]).await;
            assert!(done && said.contains("the functions and triggers are those of this version"), "{said}");
            assert_eq!(objects(world).await, before, "{remembered}");
        }
        let said = doctor::worker(world, &[]).await;
        assert!(doctor::failed(&said).is_empty(), "{said:?}");
        let (done, said) = operator(world, &["migrate", &owner], &[]).await;
        assert!(done && !said.contains("triggers"), "{said}");
    })
    .await;
}

/// After a rollback, or while pods of two versions start, a program that is older than the functions migrates.
#[tokio::test]
async fn migrate_leaves_functions_of_a_newer_version() {
    world(database_alone(), async |world| {
        let owner = format!("--database-url={}", world.owner_url);
        have_functions_of(world, "'functions of 99.0.0: f00d'").await;
        let newer = objects(world).await;
        let migrated = async || {
            let said = doctor::worker(world, &[]).await;
            assert!(doctor::failed(&said).is_empty(), "{said:?}");
            let (done, said) = operator(world, &["migrate", &owner], &[]).await;
            assert!(done && !said.contains("triggers"), "{said}");
            assert_eq!(objects(world).await, newer);
        };
        migrated().await;
        // A newer version whose `migrate` has not come to the functions.
        let row = "COMMENT ON TABLE _sqlx_migrations IS NULL;
            INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
            VALUES (99999999999999, 'of a newer program', true, '', 0)";
        sqlx::raw_sql(row).execute(&world.db).await.unwrap();
        migrated().await;
    })
    .await;
}
