//! The schema as the documents and the migrations describe it: `docs/schema.md`, `docs/schema.svg`, `docs/schema.sql` and
//! `migrations/checksums`; and the file that tells checked queries which columns hold typed identifiers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use harness::steps::worker_program::operator;
use harness::{Setup, World, world};
use sha2::{Digest, Sha256};

use crate::{doctor, schema_picture};

const RENEW: &str = "UPDATE_DOCS=1 cargo test -p storefront-it --test operations schema::";

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

#[tokio::test]
async fn the_documented_statements_make_the_migrated_schema() {
    world(database_alone(), async |world| {
        let objects: Vec<String> =
            sqlx::query_scalar(include_str!("schema.sql")).fetch_all(&world.db).await.unwrap();
        let head = "-- The present schema, generated from a migrated database. The migrations have comments; read a table there, and look\n\
                    -- up here what it has become. Not to be edited, and not in an order that a database would accept.";
        // The separator of searched texts is a control character.
        let present = format!("{head}\n\n{}\n", objects.join("\n\n")).replace("'\u{1f}'", r"E'\x1f'");
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

#[tokio::test]
async fn every_table_trigger_and_function_is_documented() {
    world(database_alone(), async |world| {
        let document = std::fs::read_to_string(repository().join("docs/schema.md")).unwrap();
        for (section, names) in [
            (
                "Tables",
                "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm')
                 AND relname <> '_sqlx_migrations'",
            ),
            ("Triggers", "SELECT tgname::text FROM pg_trigger WHERE NOT tgisinternal"),
            (
                "Functions",
                "SELECT proname::text FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND NOT EXISTS (
                     SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')",
            ),
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

/// The SHA-256 of each migration, by its file's name.
fn migrations() -> BTreeMap<String, String> {
    let mut migrations = BTreeMap::new();
    for entry in std::fs::read_dir(repository().join("migrations")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "sql") {
            let digest = Sha256::digest(std::fs::read(&path).unwrap());
            let hex = digest.iter().fold(String::new(), |mut hex, byte| {
                write!(hex, "{byte:02x}").unwrap();
                hex
            });
            migrations.insert(path.file_name().unwrap().to_str().unwrap().to_owned(), hex);
        }
    }
    migrations
}

/// Compares the migrations with the recorded checksums, in the format of `sha256sum`. Returns the lines to append.
fn compared(recorded: &str, migrations: &BTreeMap<String, String>) -> Result<String, String> {
    let recorded: BTreeMap<&str, &str> = recorded
        .lines()
        .filter_map(|line| line.split_once("  "))
        .map(|(checksum, file)| (file, checksum))
        .collect();
    for (file, checksum) in &recorded {
        match migrations.get(*file) {
            Some(present) if present == checksum => {}
            Some(_) => return Err(format!("{file} was edited after it was recorded; write a new migration")),
            None => return Err(format!("{file} was recorded and is missing")),
        }
    }
    let new = migrations.iter().filter(|(file, _)| !recorded.contains_key(file.as_str()));
    Ok(new.fold(String::new(), |lines, (file, checksum)| format!("{lines}{checksum}  {file}\n")))
}

/// `UPDATE_DOCS=1` records a new migration, and never changes the checksum of a recorded one.
#[test]
fn a_recorded_migration_is_never_edited() {
    let file = repository().join("migrations/checksums");
    let recorded = std::fs::read_to_string(&file).unwrap();
    let new = compared(&recorded, &migrations()).unwrap();
    if updates() {
        std::fs::write(&file, recorded + &new).unwrap();
    } else {
        assert!(new.is_empty(), "not in migrations/checksums; record with: {RENEW}\n{new}");
    }
}

#[test]
fn an_edited_or_missing_migration_is_refused() {
    let of = |files: &[(&str, &str)]| -> BTreeMap<String, String> {
        files.iter().map(|(file, checksum)| ((*file).to_owned(), (*checksum).to_owned())).collect()
    };
    let recorded = "aa  1_first.sql\n";
    assert_eq!(compared(recorded, &of(&[("1_first.sql", "aa")])), Ok(String::new()));
    let with_new = of(&[("1_first.sql", "aa"), ("2_second.sql", "bb")]);
    assert_eq!(compared(recorded, &with_new), Ok("bb  2_second.sql\n".to_owned()));
    assert!(compared(recorded, &of(&[("1_first.sql", "ab")])).unwrap_err().contains("was edited"));
    assert!(compared(recorded, &of(&[("2_second.sql", "bb")])).unwrap_err().contains("is missing"));
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
        let objects = async || {
            let objects: Vec<String> =
                sqlx::query_scalar(include_str!("schema.sql")).fetch_all(&world.db).await.unwrap();
            objects
        };
        let before = objects().await;
        let without_rights =
            "REVOKE ALL ON ALL TABLES IN SCHEMA public FROM storefront_worker, storefront_api;
            REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM storefront_worker, storefront_api;
            REVOKE ALL ON SCHEMA public FROM storefront_worker, storefront_api;
            ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON TABLES FROM storefront_worker;
            ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON SEQUENCES FROM storefront_worker";
        sqlx::raw_sql(without_rights).execute(&world.db).await.unwrap();
        assert_ne!(objects().await, before);
        let said = doctor::worker(world, &[]).await;
        let detail = doctor::detail(&said, "schema");
        assert!(detail.starts_with("lacks the rights of the programs' roles: run"), "{detail}");
        let owner = format!("--database-url={}", world.owner_url);
        let (done, said) = operator(world, &["migrate", &owner], &[]).await;
        assert!(done && said.contains("have them again"), "{said}");
        assert_eq!(objects().await, before);
        let said = doctor::worker(world, &[]).await;
        assert!(doctor::failed(&said).is_empty(), "{said:?}");
        let (done, said) = operator(world, &["migrate", &owner], &[]).await;
        assert!(done && !said.contains("again"), "{said}");
    })
    .await;
}
