//! The page of the simulators.

use std::path::Path;

use super::World;

/// The paths of all routes below `/_sim/` that a folder of sources states.
fn controls(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            controls(&path, found);
        } else {
            let source = std::fs::read_to_string(&path).unwrap();
            let routes = source.split(".route(\"").skip(1).filter_map(|rest| rest.split('"').next());
            found.extend(
                routes.filter(|route| route.starts_with("/_sim/") && route.len() > 6).map(str::to_owned),
            );
        }
    }
}

#[tokio::test]
async fn the_page_and_the_documentation_name_every_control() {
    let mut found = Vec::new();
    controls(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.len() > 20, "{found:?}");
    let world = World::new().await;
    let (_, page) = world.get("/_sim/", "").await;
    let documentation = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/try-it.md");
    let documentation = std::fs::read_to_string(documentation).unwrap();
    for route in found {
        for (place, text) in [("the page", &page), ("docs/try-it.md", &documentation)] {
            assert!(text.contains(&route), "{place} does not name {route}");
        }
    }
}
