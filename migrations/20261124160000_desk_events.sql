-- What managers see of the receivers of their events: the latest deliveries of each, and what the receiver has answered.

CREATE INDEX webhook_deliveries_recent_idx ON webhook_deliveries (endpoint_id, at);

GRANT SELECT ON webhook_deliveries TO storefront_api;
