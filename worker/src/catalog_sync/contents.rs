//! Builds a course's content from the platform's outline and block tree. Pure: no I/O here.

use std::collections::HashSet;

use shared::ids::CourseKey;

use crate::catalog::outline::{CourseInfo, Exam, Node, Outline, Section, Subsection, Unit, Visibility};
use crate::platform::{Block, Blocks, OutlineSection, PlatformOutline};

/// Maximum depth. Usual: course, section, subsection, unit, component; components may contain components.
const DEEPEST: usize = 16;

/// Takes sections and subsections in the outline's order; units and flags come from the block tree, if there is one.
pub fn outline(key: &CourseKey, told: PlatformOutline, blocks: Option<&Blocks>) -> Outline {
    let sections: Vec<Section> =
        told.outline.sections.iter().map(|listed| section(listed, &told, blocks)).collect();
    Outline {
        total_sections: sections.len(),
        total_subsections: sections.iter().map(|section| section.subsections.len()).sum(),
        sections,
        course_info: CourseInfo {
            course_key: key.to_string(),
            title: told.title,
            published_at: told.published_at,
            published_version: told.published_version,
            days_early_for_beta: told.days_early_for_beta,
            entrance_exam_id: told.entrance_exam_id,
            self_paced: told.self_paced,
            course_visibility: visibility(blocks),
        },
    }
}

fn section(listed: &OutlineSection, told: &PlatformOutline, blocks: Option<&Blocks>) -> Section {
    let block = block(blocks, &listed.id);
    let subsections = listed.sequence_ids.iter().filter_map(|id| subsection(id, told, blocks));
    Section {
        name: listed.title.clone(),
        usage_key: listed.id.clone(),
        hide_from_toc: block.is_some_and(|block| block.hide_from_toc),
        visible_to_staff_only: block.is_some_and(|block| block.visible_to_staff_only),
        subsections: subsections.collect(),
    }
}

fn subsection(id: &str, told: &PlatformOutline, blocks: Option<&Blocks>) -> Option<Subsection> {
    let sequence = told.outline.sequences.get(id)?;
    let block = block(blocks, id);
    Some(Subsection {
        name: sequence.title.clone(),
        usage_key: id.to_owned(),
        inaccessible_after_due: sequence.inaccessible_after_due,
        hide_from_toc: block.is_some_and(|block| block.hide_from_toc),
        visible_to_staff_only: block.is_some_and(|block| block.visible_to_staff_only),
        exam: block.and_then(exam),
        units: block.map(|block| units(block, blocks)).unwrap_or_default(),
    })
}

fn units(subsection: &Block, blocks: Option<&Blocks>) -> Vec<Unit> {
    let children = subsection.children.iter().filter_map(|id| Some((id, block(blocks, id)?)));
    let verticals = children.filter(|(_, block)| block.kind == "vertical");
    verticals.map(|(id, block)| Unit { name: block.display_name.clone(), usage_key: id.clone() }).collect()
}

fn exam(block: &Block) -> Option<Exam> {
    let exam = Exam {
        is_practice_exam: block.is_practice_exam,
        is_proctored_enabled: block.is_proctored_enabled,
        is_time_limited: block.is_time_limited,
    };
    (exam.is_practice_exam || exam.is_proctored_enabled || exam.is_time_limited).then_some(exam)
}

/// Private unless the platform says otherwise.
fn visibility(blocks: Option<&Blocks>) -> Visibility {
    let root = blocks.and_then(|blocks| blocks.blocks.get(&blocks.root));
    match root.and_then(|root| root.course_visibility.as_deref()) {
        Some("public") => Visibility::Public,
        Some("public_outline") => Visibility::PublicOutline,
        _ => Visibility::Private,
    }
}

fn block<'a>(blocks: Option<&'a Blocks>, id: &str) -> Option<&'a Block> {
    blocks?.blocks.get(id)
}

/// The whole block tree.
///
/// # Errors
/// The tree has no root, or is too deep.
pub fn structure(blocks: &Blocks) -> Result<Node, String> {
    let mut seen = HashSet::new();
    let root = node(blocks, &blocks.root, DEEPEST, &mut seen)?;
    root.ok_or_else(|| "its block tree has no root".to_owned())
}

/// A block with several parents appears under the first one only, which also breaks loops.
fn node<'a>(
    blocks: &'a Blocks,
    id: &'a str,
    depth: usize,
    seen: &mut HashSet<&'a str>,
) -> Result<Option<Node>, String> {
    let Some(block) = blocks.blocks.get(id).filter(|_| seen.insert(id)) else { return Ok(None) };
    if depth == 0 {
        return Err(format!("its block tree is deeper than {DEEPEST} levels"));
    }
    let mut children = Vec::new();
    for child in &block.children {
        children.extend(node(blocks, child, depth - 1, seen)?);
    }
    Ok(Some(Node {
        id: id.to_owned(),
        kind: block.kind.clone(),
        display_name: block.display_name.clone(),
        effort_minutes: block.effort_time.map(minutes),
        children,
    }))
}

/// The platform's estimate for the whole course, in minutes; 0 without one.
pub fn total_minutes(blocks: &Blocks) -> u32 {
    let root = blocks.blocks.get(&blocks.root);
    root.and_then(|root| root.effort_time).map_or(0, minutes)
}

/// The number of learners whom the platform lets into the course, if it shows one.
pub fn capacity(blocks: &Blocks) -> Option<i32> {
    let root = blocks.blocks.get(&blocks.root);
    root.and_then(|root| root.max_student_enrollments_allowed).filter(|capacity| *capacity > 0)
}

fn minutes(seconds: u64) -> u32 {
    u32::try_from(seconds.div_ceil(60)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn blocks() -> Blocks {
        serde_json::from_value(json!({"root": "course", "blocks": {
            "course": {"type": "course", "display_name": "C", "effort_time": 421, "children": ["week"],
                "course_visibility": "public"},
            "week": {"type": "chapter", "display_name": "W", "children": ["lesson"], "hide_from_toc": true},
            "lesson": {"type": "sequential", "display_name": "L", "children": ["unit", "video"],
                "is_time_limited": true, "visible_to_staff_only": true},
            "unit": {"type": "vertical", "display_name": "U", "effort_time": 61, "children": ["week"]},
            "video": {"type": "video", "display_name": "V"},
        }}))
        .unwrap()
    }

    fn told() -> PlatformOutline {
        serde_json::from_value(
            json!({"title": "C", "published_at": "2026-02-01T10:00:00Z", "self_paced": true,
            "published_version": "65bb", "entrance_exam_id": null, "days_early_for_beta": null, "outline": {
                "sections": [{"id": "week", "title": "Week 1", "sequence_ids": ["lesson", "unknown"]}],
                "sequences": {"lesson": {"title": "Lesson 1", "inaccessible_after_due": true}}}}),
        )
        .unwrap()
    }

    #[test]
    fn an_outline_takes_order_from_the_outline_and_units_and_flags_from_the_blocks() {
        let key: CourseKey = "course-v1:A+B+C".parse().unwrap();
        let outline = serde_json::to_value(outline(&key, told(), Some(&blocks()))).unwrap();
        assert_eq!(outline["sections"][0]["hide_from_toc"], true);
        assert_eq!(outline["total_subsections"], 1);
        let lesson = &outline["sections"][0]["subsections"][0];
        assert_eq!(lesson["units"], json!([{"name": "U", "usage_key": "unit"}]));
        assert_eq!(lesson["exam"]["is_time_limited"], true);
        assert_eq!(
            (&lesson["visible_to_staff_only"], &lesson["inaccessible_after_due"]),
            (&json!(true), &json!(true))
        );
        assert_eq!(outline["course_info"]["course_visibility"], "public");
    }

    #[test]
    fn without_blocks_an_outline_is_private_and_has_no_units() {
        let key: CourseKey = "course-v1:A+B+C".parse().unwrap();
        let outline = serde_json::to_value(outline(&key, told(), None)).unwrap();
        assert_eq!(outline["course_info"]["course_visibility"], "private");
        let lesson = &outline["sections"][0]["subsections"][0];
        assert_eq!((&lesson["units"], lesson.get("exam")), (&json!([]), None));
    }

    #[test]
    fn seconds_are_rounded_up_and_no_loop_is_followed() {
        let blocks = blocks();
        let root = structure(&blocks).unwrap();
        assert_eq!((total_minutes(&blocks), root.effort_minutes), (8, Some(8)));
        let unit = &root.children[0].children[0].children[0];
        assert_eq!((unit.effort_minutes, unit.children.len()), (Some(2), 0));
        assert!(structure(&Blocks { root: "none".into(), ..blocks }).is_err());
    }
}
