//! Beginnings of courses as a calendar file that goes with a mail.

use chrono::{DateTime, Utc};
use icalendar::{Calendar, Component, Event, EventLike, Property};
use store::plumbing::mails::Beginning;
use texts::Localizer;

use super::AttachedFile;

/// Writes a file to keep, not to answer: PUBLISH (RFC 5546, 3.2.1). None without a course. Times are in UTC: with the name of a zone
/// alone, ical.js 2.2.1 shows the reader's own time. The description has the organisation's time in words.
pub fn file(courses: &[Beginning], to: &Localizer<'_>, now: DateTime<Utc>) -> Option<AttachedFile> {
    if courses.is_empty() {
        return None;
    }
    let mut calendar = Calendar::new();
    calendar.properties.retain(|property| property.key() != "PRODID");
    calendar.append_property(("PRODID", "-//storefront//worker//EN")).append_property(("METHOD", "PUBLISH"));
    for course in courses {
        let mut event = Event::new();
        let local = format!("{} ({})", to.moment(course.local), course.zone);
        event
            .uid(&course.course_id.to_string())
            .timestamp(now)
            .starts(course.at)
            .summary(&one_line(&course.name));
        match &course.url {
            Some(url) => event.url(url).description(&format!("{local}\n{url}")),
            None => event.description(&local),
        };
        // Takes no time of the reader's day.
        event.append_property(Property::new("TRANSP", "TRANSPARENT"));
        calendar.push(event.done());
    }
    Some(AttachedFile {
        name: "calendar.ics".to_owned(),
        media_type: "text/calendar; charset=utf-8; method=PUBLISH",
        content: calendar.to_string().into_bytes(),
    })
}

/// A name without line breaks and other control characters, some of which readers fail on (vobject 0.9.9).
fn one_line(name: &str) -> String {
    name.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

#[cfg(test)]
mod tests {
    use texts::{Language, Texts};

    use super::*;

    fn course(name: &str, url: Option<&str>) -> Beginning {
        Beginning {
            course_id: "28b0b164-7eb3-4aba-aac1-d7498b344ed4".parse().unwrap(),
            name: name.to_owned(),
            at: "2027-03-29T07:00:00Z".parse().unwrap(),
            local: "2027-03-29T09:00:00".parse().unwrap(),
            zone: "Europe/Berlin".to_owned(),
            url: url.map(str::to_owned),
        }
    }

    /// The lines of a file, unfolded.
    fn lines(courses: &[Beginning]) -> Vec<String> {
        let texts = Texts::bundled().unwrap();
        let now = "2026-11-30T10:00:00Z".parse().unwrap();
        let file = file(courses, &texts.localizer(&Language::english(), &[]), now).unwrap();
        let content = String::from_utf8(file.content).unwrap();
        // RFC 5545 recommends 75 octets; the last of several lines may have one more.
        assert!(
            content.split("\r\n").all(|line| line.len() <= 76 && !line.contains(['\r', '\n'])),
            "{content}"
        );
        content.replace("\r\n ", "").lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_file_has_an_event_for_each_course_at_its_time_in_utc() {
        let found =
            lines(&[course("Träets hantverk; del 1, \"grunder\"", Some("https://learn.example/c/1/home"))]);
        for expected in [
            "METHOD:PUBLISH",
            "UID:28b0b164-7eb3-4aba-aac1-d7498b344ed4",
            "DTSTAMP:20261130T100000Z",
            "DTSTART:20270329T070000Z",
            "SUMMARY:Träets hantverk\\; del 1\\, \"grunder\"",
            "URL:https://learn.example/c/1/home",
            "TRANSP:TRANSPARENT",
        ] {
            assert!(found.iter().any(|line| line == expected), "{expected} is missing: {found:#?}");
        }
        let description = found.iter().find(|line| line.starts_with("DESCRIPTION:")).unwrap();
        assert!(description.ends_with(" (Europe/Berlin)\\nhttps://learn.example/c/1/home"), "{description}");
        assert_eq!(found.iter().filter(|line| *line == "BEGIN:VEVENT").count(), 1);
    }

    #[test]
    fn a_long_name_is_folded_between_characters_and_has_no_line_break() {
        for length in 1..60 {
            let name: String = "أسس علم البيانات, é ".chars().cycle().take(length).collect();
            let found = lines(&[course(&format!("{name}.\r\nEND:VEVENT"), None)]);
            let summary = format!("SUMMARY:{}.  END:VEVENT", name.replace(',', "\\,"));
            assert!(found.contains(&summary), "{summary} is not in {found:#?}");
        }
    }
}
