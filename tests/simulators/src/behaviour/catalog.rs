//! The simulated platform's course APIs, compared with answers of a real LMS.

use reqwest::Method;
use serde_json::{Value, json};

use super::World;

const LIST: &str = "/platform/api/courses/v1/courses/";

impl World {
    async fn catalog(&self, change: Value) -> Value {
        let (status, answer) = self.control(Method::POST, "/_sim/catalog", change).await;
        assert_eq!(status, 200, "{answer}");
        answer
    }

    async fn page(&self, query: &str) -> (u16, Value) {
        let (status, body) = self.get(&format!("{LIST}?{query}"), &self.service).await;
        (status, serde_json::from_str(&body).unwrap())
    }
}

#[tokio::test]
async fn a_list_has_pages_that_shift_when_courses_come_and_go() {
    let world = World::new().await;
    world.catalog(json!({"count": 5})).await;
    world.catalog(json!({"remove": ["course-v1:northwind+C00001+2026"], "after_page": 1})).await;
    let query = |page: u32| format!("page_size=2&page={page}&username=storefront_worker");
    let (_, first) = world.page(&query(1)).await;
    assert_eq!(first["results"][1]["id"], "course-v1:northwind+C00002+2026");
    assert!(first["pagination"]["next"].as_str().unwrap().contains("page=2"), "{first}");
    let (_, second) = world.page(&query(2)).await;
    assert_eq!(second["results"][0]["id"], "course-v1:northwind+C00004+2026", "the third has moved");
    assert_eq!((&second["pagination"]["next"], &second["pagination"]["count"]), (&Value::Null, &json!(4)));
    assert_eq!(world.page(&query(3)).await, (404, json!({"developer_message": "Invalid page."})));
}

#[tokio::test]
async fn hidden_courses_are_listed_for_staff_and_a_throttled_list_tells_the_time_in_its_text() {
    let world = World::new().await;
    let hidden =
        json!({"course_id": "course-v1:Acme+Hidden+2026", "hidden": true, "name": "<b>Bold</b>  text"});
    world.catalog(json!({"courses": [hidden], "throttled_lists": 1})).await;
    let (status, throttled) = world.page("username=storefront_worker").await;
    let told = "Request was throttled. Expected available in 1 second.";
    assert_eq!((status, &throttled["developer_message"]), (429, &json!(told)));
    let (_, staff) = world.page("username=storefront_worker").await;
    assert_eq!(
        (&staff["results"][0]["name"], &staff["results"][0]["hidden"]),
        (&json!("Bold text"), &json!(true))
    );
    assert_eq!(world.page("").await.1["results"], json!([]));
    assert_eq!(world.page("username=unknown").await.0, 404);
}

#[tokio::test]
async fn a_course_that_is_unknown_has_no_modes_and_no_content() {
    let world = World::new().await;
    let key = "course-v1:Acme+None+2026";
    for (path, answer) in [
        (format!("/platform/api/courses/v1/courses/{key}/"), (404, "Course not found.")),
        (format!("/platform/api/course_modes/v1/courses/{key}/"), (200, "[]")),
        (format!("/platform/api/learning_sequences/v1/course_outline/{key}"), (404, "Not found.")),
        (
            "/platform/api/courses/v1/blocks/?course_id=x&all_blocks=true".to_owned(),
            (404, "Block not found: x"),
        ),
        ("/platform/api/courses/v1/blocks/?course_id=x".to_owned(), (400, "unless all_blocks")),
        ("/platform/api/courses/v1/courses/nonsense/".to_owned(), (404, "<h1>")),
    ] {
        let (status, body) = world.get(&path, &world.service).await;
        assert!(status == answer.0 && body.contains(answer.1), "{path}: {status} {body}");
    }
}
