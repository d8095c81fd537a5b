"""The ten calls of a shop's backend with httpx (https://www.python-httpx.org), from the catalog to the order.

    pip install httpx && python shop.py    # against the demo, or STOREFRONT, SECRET and SIM of the environment

The client secret stays on your server. docs/api.md describes the headers that name the visitor. tests/clients runs this
file against the demo.
"""

import os, time, uuid
import httpx

api = httpx.Client(
    base_url=os.environ.get("STOREFRONT", "http://127.0.0.1:8080") + "/storeapi",
    headers={
        "clientapisecret": os.environ.get("SECRET", "demo-client-secret-demo-client-secret"),
        # For whom you call: the address from your proxy, an id from a cookie of yours, and the country, which decides the prices.
        "X-Visitor-Address": "203.0.113.7", "X-Visitor-Id": str(uuid.uuid4()), "X-Visitor-Country": "IN",
    },
    follow_redirects=False,  # a redirect would take the secret along
    timeout=30,
)


def call(method, path, **options):
    answer = api.request(method, path, **options)
    if answer.is_error:
        problem = answer.json()  # application/problem+json: a stable code, and for bad input the fields
        raise SystemExit(f"{path}: {answer.status_code} {problem['code']}: {problem['detail']} {problem.get('errors', '')}")
    return answer.json()


# 1 and 2: organisations, and the topics to filter by.
organisations = call("GET", "/discovery/organisations/")["organisations"]
topics = call("GET", "/discovery/tags/", params={"include_courses": False, "include_programs": False})["tags"]

# 3: a page of courses. 4 and 5: a course with its prices for this visitor, and its outline.
page = call("GET", "/discovery/courses/", params={"org": "northwind", "search": "statistics you can defend", "limit": 12})
key = page["courses"][0]["openedx_course_id"]
course = call("GET", f"/discovery/course/{key}/", params={"fields": "summary"})
outline = call("GET", f"/discovery/course-outline/{key}/")
mode = next(mode for mode in course["available_course_modes"] if mode["price"] > 0)
print(course["display_name"], mode["price"], mode["currency"], f"{outline['total_sections']} sections")

# 6: programs.
programs = call("GET", "/discovery/programs/", params={"org": "northwind"})["programs"]

# 7: what the basket costs, with a voucher if there is one.
basket = {
    "organisation_id": course["organisation_id"],
    "items": [{"type": "course", "id": course["id"], "mode": mode["modeSlug"]}],
}
quote = call("POST", "/discovery/quote/", json={**basket, "voucher": "NO-SUCH-CODE"})
print("total", quote["total_price"], quote["currency"], "voucher", quote["voucher"]["reason"])

# 8: the checkout. One key for one press of the button: a repetition finds the first result and charges nothing twice.
checkout = call(
    "POST", "/discovery/guest/checkout/",
    json={**basket, "email": f"python.{time.time_ns()}@example.org"},
    headers={"Idempotency-Key": str(uuid.uuid4())},
)

# The buyer pays: with the provider's script (`client_secret`, or `order_id`), or at its page (`redirect_url`). Here, the demo's bank does.
intent = checkout["client_secret"].split("_secret_")[0]
httpx.post(os.environ.get("SIM", "http://127.0.0.1:8090") + f"/_sim/payments/{intent}/pay").raise_for_status()

# 9: the status, which the provider's signed notification decides. An address without an account has `pending_registration` for its items.
for _ in range(50):
    order = call("GET", f"/payment/status/{checkout['cart_id']}/")
    if order["status"] == "fulfilled":
        break
    time.sleep(0.2)
print("order", order["cart_id"], order["status"])

# 10: who is signed in: the course platform's cookie goes beside the secret.
user = call("GET", "/discovery/user/", headers={"Cookie": f"sessionid={os.environ['SESSION']}"} if "SESSION" in os.environ else {})
print("signed in", user["authenticated"])
