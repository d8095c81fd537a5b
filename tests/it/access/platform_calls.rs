//! The platform simulator answers the list of calls as a real LMS does; `tests/platform --lms` asks the LMS itself.

use harness::platform_calls::{self, Target};

#[tokio::test]
async fn the_platform_simulator_answers_every_call_of_the_list_as_the_lms_does() {
    let mut simulator = Target::simulator().await.unwrap();
    let verdicts = platform_calls::run(&mut simulator).await.unwrap();
    let (table, good) = platform_calls::table(&platform_calls::all().unwrap(), &verdicts, None);
    assert!(good, "{table}");
}

#[test]
fn the_documented_answers_of_the_platform_are_those_of_the_list() {
    let documented = include_str!("../../../docs/openedx-answers.md");
    let listed = platform_calls::markdown(&platform_calls::all().unwrap());
    assert!(
        documented.contains(&listed),
        "write the output of tests/platform --markdown into docs/openedx-answers.md"
    );
}
