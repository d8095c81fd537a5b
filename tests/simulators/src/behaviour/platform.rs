//! The simulated course platform's answers, including its traps for clients.

use reqwest::Method;
use serde_json::{Value, json};

use super::{COURSE, ENROLLMENT, World};

#[tokio::test]
async fn the_service_account_enrolls_a_learner_and_reads_the_record_back() {
    let world = World::new().await;
    let own = format!("{ENROLLMENT}/ada,{COURSE}");
    world.user(json!({"email": "Ada@example.com"})).await;
    let (status, body) = world.get("/platform/api/user/v1/accounts/Ada", &world.service).await;
    assert_eq!((status, body.contains("\"is_active\":true")), (200, true), "{body}");

    world.control(Method::POST, "/_sim/reset", json!({})).await;
    assert_eq!(world.enroll(json!({})).await.0, 406);
    world.user(json!({"email": "Ada@example.com", "username": "ada"})).await;
    assert_eq!(world.get(&own, &world.service).await, (200, String::new()));
    for _ in 0..2 {
        assert_eq!(world.enroll(json!({"is_active": true})).await.1["is_active"], true);
    }
    let read: Value = serde_json::from_str(&world.get(&own, &world.service).await.1).unwrap();
    assert_eq!((&read["mode"], &read["user"]), (&json!("verified"), &json!("ada")));
    let expected = json!([{"course_id": COURSE, "mode": "verified", "is_active": true, "calls": 2}]);
    assert_eq!(world.enrollments().await, expected);
}

#[tokio::test]
async fn deactivating_a_learner_without_a_record_enrolls_them_first_and_meets_closed_doors() {
    let world = World::new().await;
    world.user(json!({"email": "ada@example.com"})).await;
    world.course(json!({"course_id": COURSE, "closed": true})).await;
    assert_eq!(world.enroll(json!({"is_active": false})).await.0, 400);
    assert_eq!(world.enrollments().await, json!([]));
    world.course(json!({"course_id": COURSE})).await;
    assert_eq!(world.enroll(json!({"is_active": false})).await.1["is_active"], false);
    assert_eq!(world.enrollments().await[0]["calls"], 1);
}

#[tokio::test]
async fn deactivating_with_another_mode_is_refused_and_with_the_active_one_accepted() {
    let world = World::new().await;
    world.user(json!({"email": "ada@example.com"})).await;
    world.enroll(json!({"mode": "audit"})).await;
    let (status, body) = world.enroll(json!({"is_active": false})).await;
    let message = "Enrollment mode mismatch: active mode=audit, requested mode=verified. Won't deactivate.";
    assert_eq!((status, body), (400, json!({"message": message})));
    assert_eq!(world.enroll(json!({"is_active": false, "mode": "audit"})).await.0, 200);
    assert_eq!(world.enrollments().await[0]["is_active"], false);
    assert_eq!(world.enroll(json!({"is_active": true})).await.1["mode"], "verified");
}

#[tokio::test]
async fn described_courses_refuse_as_the_platform_does_and_force_passes_all_but_full_and_veto() {
    let cases = [
        (json!({"modes": ["audit"]}), 400, 400),
        (json!({"modes": [{"slug": "verified", "expires_at": "2020-01-01T00:00:00Z"}]}), 400, 200),
        (json!({"invitation_only": true}), 400, 200),
        (json!({"closed": true}), 400, 200),
        (json!({"full": true}), 400, 400),
        (json!({"seats": 0}), 400, 400),
        (json!({"veto": true}), 403, 403),
        (json!({"missing": true}), 400, 400),
    ];
    let world = World::new().await;
    for (mut course, plain, forced) in cases {
        world.control(Method::POST, "/_sim/reset", json!({})).await;
        world.user(json!({"email": "ada@example.com"})).await;
        course["course_id"] = json!(COURSE);
        world.course(course.clone()).await;
        assert_eq!(world.enroll(json!({})).await.0, plain, "{course}");
        assert_eq!(world.enroll(json!({"force_enrollment": true})).await.0, forced, "{course}");
    }
    let key = json!({"course_details": {"course_id": "edX/DemoX/Demo"}});
    let message = "No course 'edX/DemoX/Demo' found for enrollment";
    assert_eq!(world.enroll(key).await, (400, json!({"message": message})));
}

#[tokio::test]
async fn every_credential_of_a_learner_resolves_and_a_jwt_as_bearer_does_not() {
    let world = World::new().await;
    let user = world.user(json!({"email": "ada@example.com", "organisations": ["lindgren"]})).await;
    let text = |key: &str| user[key].as_str().unwrap().to_owned();
    let me = "/platform/api/user/v1/me";
    let known = (200, "{\"username\":\"ada\"}".to_owned());
    assert_eq!(world.get(me, &format!("JWT {}", text("jwt"))).await, known);
    assert_eq!(world.get(me, &format!("Bearer {}", text("bearer"))).await, known);
    assert_eq!(world.get(me, &format!("Bearer {}", text("jwt"))).await.0, 401);
    assert_eq!(world.get(me, "JWT broken").await.1, "{\"detail\":\"Invalid token.\"}");
    let opaque = world.token("bearer").await["access_token"].as_str().unwrap().to_owned();
    assert_eq!(world.get(me, &format!("Bearer {opaque}")).await.1, "{\"username\":\"storefront_worker\"}");

    let with_cookie = async |cookie: &str, accept: &str| {
        let request = world.client.get(world.simulators.url(me));
        let request = request.header("cookie", format!("a=b; sessionid={cookie}")).header("accept", accept);
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    let session = text("sessionid");
    assert_eq!(with_cookie(&session, "application/json").await, known);
    assert_eq!(with_cookie(&format!("\"{session}\""), "application/json").await, known);
    assert_eq!(with_cookie("garbage", "application/json").await.0, 500);
    assert_eq!(with_cookie(&format!("{session}x"), "application/json").await, (401, String::new()));
    assert_eq!(with_cookie(&format!("{session}x"), "text/html,*/*").await.0, 302);
    assert_eq!(with_cookie("1|unknown||", "application/json").await.0, 401);

    let cookies = user["jwt_cookies"].as_object().unwrap();
    let joined: Vec<&str> = cookies.values().map(|value| value.as_str().unwrap()).collect();
    let (cookie, header) = (joined.join("."), text("jwt"));
    let part = |token: &str, at: usize| token.split('.').nth(at).unwrap().to_owned();
    assert_eq!(part(&cookie, 1), part(&header, 1), "the same claims with another signature");
    assert_ne!(part(&cookie, 0), part(&header, 0));
}

#[tokio::test]
async fn staff_find_accounts_by_email_whatever_its_case() {
    let world = World::new().await;
    let user = world.user(json!({"email": "Ada+x@example.com", "username": "ada+x", "active": false})).await;
    let list = "/platform/api/user/v1/accounts?email=ada%2Bx%40example.com";
    let (status, body) = world.get(list, &world.service).await;
    let accounts: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        (status, &accounts[0]["id"], &accounts[0]["is_active"]),
        (200, &user["user_id"], &json!(false))
    );
    let raw_plus = "/platform/api/user/v1/accounts?email=ada+x@example.com";
    assert_eq!(world.get(raw_plus, &world.service).await, (404, String::new()));

    let search = world.client.post(world.simulators.url("/platform/api/user/v1/accounts/search_emails"));
    let search = search.json(&json!({"emails": ["ADA+X@example.com", "unknown@example.com"]}));
    let found: Value =
        search.header("authorization", &world.service).send().await.unwrap().json().await.unwrap();
    let expected = json!([{"email": "Ada+x@example.com", "id": user["user_id"], "username": "ada+x"}]);
    assert_eq!(found, expected);

    let (status, _) = world.control(Method::POST, "/_sim/users", json!({"email": "ada+X@example.com"})).await;
    assert_eq!(status, 409);
    world.control(Method::POST, "/_sim/users/activate", json!({"email": "ada+x@example.com"})).await;
    let (_, body) = world.get("/platform/api/user/v1/accounts/ada%2Bx", &world.service).await;
    assert!(body.contains("\"is_active\":true"), "{body}");
}

#[tokio::test]
async fn certificates_show_with_the_slash_alone_and_hide_behind_a_missing_configuration() {
    let world = World::new().await;
    world.user(json!({"email": "ada@example.com"})).await;
    let path = "/platform/api/certificates/v0/certificates/ada/courses/course-v1:Acme%2BCS101+2026";
    assert_eq!(world.get(path, &world.service).await.0, 301);
    let path = format!("{path}/");
    let none = (404, "{\"error_code\":\"no_certificate_for_user\"}".to_owned());
    assert_eq!(world.get(&path, &world.service).await, none);
    let mut certificate = json!({"email": "ada@example.com", "course_id": COURSE, "status": "downloadable"});
    assert_eq!(world.control(Method::POST, "/_sim/certificates", certificate.clone()).await.0, 200);
    let (status, body) = world.get(&path, &world.service).await;
    assert!(status == 200 && body.contains("\"status\":\"downloadable\""), "{body}");
    certificate["web_view"] = json!(false);
    world.control(Method::POST, "/_sim/certificates", certificate).await;
    let hidden = (404, "{\"error_code\":\"no_certificate_configuration_for_course\"}".to_owned());
    assert_eq!(world.get(&path, &world.service).await, hidden);
}

#[tokio::test]
async fn a_restricted_application_is_refused_until_it_has_a_token_made_after_the_restriction() {
    let world = World::new().await;
    world.user(json!({"email": "ada@example.com"})).await;
    let refused = (403, json!({"detail": "You do not have permission to perform this action."}));
    world.control(Method::POST, "/_sim/client", json!({"restricted": true})).await;
    assert_eq!(world.enroll(json!({})).await, refused);
    let marked = format!("JWT {}", world.token("jwt").await["access_token"].as_str().unwrap());
    world.control(Method::POST, "/_sim/client", json!({"restricted": false})).await;
    let own = format!("{ENROLLMENT}/ada,{COURSE}");
    assert_eq!(world.get(&own, &marked).await.0, 403, "the token's claim restricts it");
    assert_eq!(world.enroll(json!({})).await.0, 200);
    world.control(Method::POST, "/_sim/client", json!({"staff": false})).await;
    assert_eq!(world.enroll(json!({})).await.0, 404);
}

#[tokio::test]
async fn an_account_can_be_renamed_moved_disabled_retired_and_lose_its_profile() {
    let world = World::new().await;
    let user = world.user(json!({"email": "ada@example.com"})).await;
    let change = async |extra: Value| {
        let (status, body) = world.control(Method::POST, "/_sim/users/change", extra).await;
        assert_eq!(status, 200, "{body}");
    };
    change(json!({"email": "ada@example.com", "username": "lovelace", "new_email": "new@example.com"})).await;
    assert_eq!(world.enroll(json!({})).await.0, 406);
    let accounts = "/platform/api/user/v1/accounts";
    let by_id = format!("{accounts}?lms_user_id={}", user["user_id"]);
    let (_, body) = world.get(&by_id, &world.service).await;
    assert!(body.contains("\"username\":\"lovelace\"") && body.contains("new@example.com"), "{body}");
    change(json!({"email": "new@example.com", "profile": false})).await;
    assert_eq!(world.enroll(json!({"user": "lovelace"})).await.0, 500);
    change(json!({"email": "new@example.com", "retired": true})).await;
    let (status, body) = world.get(&format!("{accounts}?email=new%40example.com"), &world.service).await;
    assert!(
        status == 404 && body.contains("retired account") && body.contains("retirement\":true"),
        "{body}"
    );
    let (status, body) = world.get(&by_id, &world.service).await;
    assert!(
        status == 200 && body.contains("@retired.invalid") && !body.contains("new@example.com"),
        "{body}"
    );
    world.user(json!({"email": "ada@example.com", "username": "ada"})).await;
    change(json!({"email": "ada@example.com", "disabled": true})).await;
    assert_eq!(world.enroll(json!({})).await.0, 200, "staff can enroll disabled accounts");
}

#[tokio::test]
async fn limits_count_once_a_test_switches_them_on() {
    let world = World::new().await;
    world.control(Method::POST, "/_sim/client", json!({"throttled": true})).await;
    let own = format!("{ENROLLMENT}/ada,{COURSE}");
    for _ in 0..120 {
        assert_eq!(world.get(&own, &world.service).await.0, 200);
    }
    assert_eq!(world.enroll(json!({})).await.0, 429);
    assert_eq!(world.get("/platform/api/user/v1/me", &world.service).await.0, 200);
    world.control(Method::POST, "/_sim/client", json!({"throttled": false})).await;
    assert_eq!(world.get(&own, &world.service).await.0, 200);
}
