-- What `move-in ecommerce` reads of the course platform's database: one JSON object a line. Changes nothing. For the clients `mysql` and
-- `mariadb`, with the options that ecommerce's own statements name.

SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ;
START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY;

SELECT JSON_OBJECT('t', 'begin_platform', 'format', 1, 'missing', GROUP_CONCAT(needed.name ORDER BY needed.name SEPARATOR ', ')) FROM (
    SELECT 'auth_user.username' AS name UNION SELECT 'auth_user.email' UNION SELECT 'auth_userprofile.name'
    UNION SELECT 'user_api_userretirementstatus.user_id' UNION SELECT 'student_courseenrollment.course_id'
    UNION SELECT 'student_courseenrollment.mode' UNION SELECT 'student_courseenrollment.is_active'
) needed WHERE NOT EXISTS (
    SELECT 1 FROM information_schema.columns c
    WHERE c.table_schema = DATABASE() AND CONCAT(c.table_name, '.', c.column_name) = needed.name);

-- A retirement that was asked for counts: its person is not written down again. Of a retired account no name is read.
SELECT JSON_OBJECT('t', 'account', 'id', u.id, 'username', u.username, 'retired', IF(u.retired, 1, 0),
    'email', IF(u.retired, NULL, u.email), 'name', IF(u.retired, NULL, p.name))
FROM (SELECT a.*, EXISTS (SELECT 1 FROM user_api_userretirementstatus r WHERE r.user_id = a.id)
          OR a.username LIKE 'retired\_\_user%' OR a.email LIKE 'retired\_\_user%' AS retired FROM auth_user a) u
LEFT JOIN auth_userprofile p ON p.user_id = u.id;

SELECT JSON_OBJECT('t', 'enrollment', 'user_id', e.user_id, 'course', e.course_id, 'mode', e.mode, 'active', e.is_active)
FROM student_courseenrollment e;

SELECT JSON_OBJECT('t', 'end_platform');
COMMIT;
