using Xunit;

namespace Pipeline.EtlKit.Configuration;

/// <content>Faults of tasks, their test cases, and subscriptions.</content>
public static partial class BrokenConfigurations
{
    private static void AddTasks(TheoryData<string, string, string> data)
    {
        data.Add(
            "unknown connection",
            OneTask.Replace("to: c", "to: d", StringComparison.Ordinal),
            "f:8:9: there is no connection 'd'; did you mean 'c'?"
        );
        data.Add(
            "no connections",
            Head + "etl:\n  - { name: t, from: [A], to: x, transform: 'return;' }\n",
            "f:4:31: there is no connection 'x'; add it under 'connections'"
        );
        data.Add(
            "duplicate task",
            OneTask + "  - { name: T, from: [A], to: c, transform: 'return;' }\n",
            "f:10:13: the task 'T' is defined twice, first in line 6; give it another name"
        );
        data.Add(
            "missing task keys",
            Connection + "etl:\n  - name: t\n",
            "f:6:5: etl[0].from is missing; it is required: collections whose documents the task reads, or '@all_docs' alone for all of them",
            "f:6:5: etl[0].to is missing; it is required: name of the connection that its messages go to",
            "f:6:11: the task 't' has no transform; add 'transform' with C# statements that call send(destination, body), or 'class' with the name of a class"
        );
        data.Add(
            "from is a word",
            OneTask.Replace("[Orders]", "Orders", StringComparison.Ordinal),
            "f:7:11: etl[0].from must be a list, found 'Orders'; write it as [Orders]"
        );
        data.Add(
            "from is empty",
            OneTask.Replace("[Orders]", "[]", StringComparison.Ordinal),
            "f:7:11: from names no collection; name some, or [@all_docs]"
        );
        data.Add(
            "all and some",
            OneTask.Replace("[Orders]", "[\"@all_docs\", A]", StringComparison.Ordinal),
            "f:7:11: '@all_docs' stands for every collection; name it alone, or name collections only"
        );
        data.Add(
            "reserved collection",
            OneTask.Replace("[Orders]", "[\"@hilo\"]", StringComparison.Ordinal),
            "f:7:11: '@hilo' is not a collection that a task can read; name collections, or [@all_docs]"
        );
        data.Add(
            "dead letters",
            OneTask.Replace("[Orders]", "[DeadLetters]", StringComparison.Ordinal),
            "f:7:11: a task cannot read 'DeadLetters', because its own failures go there; export that collection instead"
        );
        data.Add(
            "folded transform",
            OneTask.Replace("send(\"x\", doc);", ">\n      send(\"x\", doc);", StringComparison.Ordinal),
            "f:9:16: etl[0].transform is written with '>', which joins its lines; write it with '|'"
        );
        data.Add(
            "empty transform",
            OneTask.Replace("send(\"x\", doc);", "'  '", StringComparison.Ordinal),
            "f:9:16: the transform of 't' is empty; write C# statements that call send(destination, body)"
        );
        data.Add(
            "limits crossed",
            OneTask + "    batch: { minDocuments: 10, maxDocuments: 5 }\n",
            "f:10:28: batch.minDocuments is greater than batch.maxDocuments"
        );
        data.Add(
            "deletes said twice",
            OneTask + "    onDelete: event\n    deletes: true\n",
            "f:11:5: etl[0].deletes cannot stand together with 'onDelete' in line 10; leave one of them out"
        );
        data.Add(
            "parallel beside followed loads",
            OneTask + "    dependsOn: load\n    parallel: 2\n",
            "f:11:15: parallel and 'dependsOn: load' cannot be combined: loaded documents are tracked one document at a time; leave one of them out"
        );
        data.Add(
            "parallel with nothing",
            OneTask + "    parallel: 0\n",
            "f:10:15: etl[0].parallel must be at least 1, found '0'"
        );
        data.Add(
            "no time for a batch",
            OneTask + "    batch: { targetTime: 0s }\n",
            "f:10:26: etl[0].batch.targetTime must be at least 10ms, found '0s'"
        );
        data.Add(
            "bad delete policy",
            OneTask + "    onDelete: tombstones\n",
            "f:10:15: etl[0].onDelete must be one of nothing, event, tombstone, found 'tombstones'; did you mean 'tombstone'?"
        );
        data.Add(
            "fault beside a deprecated key",
            Connection + "etl:\n  - { name: a/b, from: [A], to: c, transform: 'return;', deletes: true }\n",
            "f:6:13: a task's name must be of letters, digits, '-', '_' and '.', at most 64, found 'a/b'"
        );
        data.Add(
            "limit too small",
            OneTask + "    limits: { steps: 10 }\n",
            "f:10:22: etl[0].limits.steps must be at least 1000, found '10'"
        );
        data.Add(
            "limit without a unit",
            OneTask + "    limits: { time: 5 }\n",
            "f:10:21: etl[0].limits.time must be a duration such as 500ms, 5s, 2m or 1h, found '5'; add a unit: 5s"
        );
        data.Add(
            "helpers as a list",
            Head + "helpers: [x]\n",
            "f:3:10: helpers must be a mapping of names to values, found a list"
        );
        data.Add(
            "folded helper",
            Head + "helpers:\n  a: >\n    int A;\n",
            "f:4:6: helpers.a is written with '>', which joins its lines; write it with '|'"
        );
        data.Add(
            "case that expects nothing at all",
            OneTask + "    tests: [{ name: n, document: { id: a } }]\n",
            "f:10:13: the case says neither 'expect' nor 'error'; list the messages under 'expect', [] for none"
        );
        data.Add(
            "case without a document",
            OneTask + "    tests: [{ name: n, expect: [] }]\n",
            "f:10:13: the case has no document; add it: document: { id: orders/1, body: { … } }"
        );
        data.Add(
            "case with body and file",
            OneTask + "    tests: [{ name: n, document: { id: a, body: {}, file: f.json }, expect: [] }]\n",
            "f:10:53: etl[0].tests[0].document.file cannot stand together with 'body' in line 10; leave one of them out"
        );
        data.Add(
            "message with an unknown key",
            OneTask + "    tests: [{ name: n, document: { id: a }, expect: [{ topic: x }] }]\n",
            "f:10:56: unknown key 'topic' in etl[0].tests[0].expect[0]; known here: body, destination, exact, id, key, source, type"
        );
        data.Add(
            "tag",
            "version: !!int 1\ndatabase: { name: a, path: . }\n",
            "f:1:10: the tag 'tag:yaml.org,2002:int' is not supported; leave it out"
        );
        data.Add(
            "merge key",
            "version: 1\ndatabase: &d { name: a, path: . }\nserver: { <<: *d }\n",
            "f:3:11: merge keys ('<<') are not supported; repeat the keys, or use an alias for the whole value"
        );
        data.Add(
            "two documents",
            Head + "---\nversion: 1\n",
            "f:3:1: a second YAML document begins here; keep one document in a file"
        );
        data.Add(
            "several at once",
            "version: 1\ndatabase: { name: [1], pth: . }\nimport: 5\n",
            "f:2:1: database.path is missing; it is required: folder of the data, relative to this file",
            "f:2:19: database.name must be text, found a list",
            "f:2:24: unknown key 'pth' in database; did you mean 'path'?",
            "f:3:9: import must be a list, found '5'; write it as [5]"
        );
        data.Add(
            "too deep",
            "a: " + new string('[', 40) + new string(']', 40),
            "f:1:36: nested deeper than 32 levels (MaxDepth)"
        );
        data.Add("key is a list", Head + "? [a]\n: b\n", "f:3:3: a key must be a word, found a list");
        data.Add(
            "subscription with query and filter",
            Head + "subscriptions:\n  - name: s\n    query: from As\n    filter: doc.A > 1\n",
            "f:6:13: subscription 's': it has a query and a filter; give either"
        );
        data.Add(
            "lag that is no duration",
            Head + "subscriptions:\n  - { name: s, maxLag: long }\n",
            "f:4:24: subscriptions[0].maxLag.age must be a duration such as 500ms, 5s, 2m or 1h, found 'long'"
        );
        data.Add(
            "lag with a key unknown",
            Head + "subscriptions:\n  - { name: s, maxLag: { ag: 7d } }\n",
            "f:4:26: unknown key 'ag' in subscriptions[0].maxLag; did you mean 'age'?"
        );
        data.Add(
            "then with a wrong word",
            Head + "subscriptions:\n  - { name: s, maxLag: 7d, then: dropp }\n",
            "f:4:34: subscriptions[0].then must be one of keep, pause-and-resync, drop, found 'dropp'; did you mean 'drop'?"
        );
        data.Add(
            "then without a lag",
            Head + "subscriptions:\n  - { name: s, then: drop }\n",
            "f:4:5: subscription 's': 'then' says what to do where maxLag is exceeded, and there is no maxLag"
        );
    }
}
