using System.Text;
using System.Text.Json;
using Microsoft.Extensions.Logging;
using Pipeline.Database.Indexes;
using Pipeline.Server;
using Pipeline.Server.Databases;
using Pipeline.Server.Hosting;
using Pipeline.Server.Operations;
using Pipeline.Server.Settings;
using Pipeline.TestKit;
using Pipeline.TestKit.Logging;
using Pipeline.TestKit.Queries;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Client.Tests.Server;

/// <summary>
/// Damaged requests and messages: no crash, no hang, no error that is the server's own, no memory that stays. Short
/// here; see <see cref="FuzzRun"/>.
/// </summary>
public sealed class ServerFuzzTests(ITestOutputHelper output)
{
    private const int ShortRounds = 400;
    private static readonly TimeSpan Hang = TimeSpan.FromSeconds(30);

    private static readonly string[] Requests =
    [
        Post(
            "/databases/db/bulk_docs",
            """{"Commands":[{"Type":"PUT","Id":"users/1","ChangeVector":null,"Document":{"Name":"Ann","@metadata":{"@collection":"Users"}}},{"Type":"DELETE","Id":"users/2","ChangeVector":"A:1-AAAAAAAAAAAAAAAAAAAAAA"}]}"""
        ),
        Post(
            "/databases/db/queries",
            """{"Query":"from Users where Age > $p0 order by Name as long desc limit 3","QueryParameters":{"p0":10},"WaitForNonStaleResults":false,"Start":0,"PageSize":10}"""
        ),
        Post(
            "/databases/db/multi_get",
            """{"Requests":[{"Url":"/databases/db/docs","Query":"?id=users/1","Method":"GET","Headers":{},"Content":null},{"Url":"/databases/db/queries","Query":"?query=from Users"}]}"""
        ),
        Post(
            "/databases/db/bulk_insert?id=3",
            """[{"Id":"a","Type":"PUT","Document":{"A":1}},{"Type":"HeartBeat"},{"Id":"b","Type":"PUT","Document":{"B":[1,2,{"C":null}]}}]"""
        ),
        Post("/databases/db/docs?include=Company", """{"Ids":["users/1","users/2"]}"""),
        Post("/databases/db/subscriptions", """{"Name":"s","Query":"from Users where Age > 3"}""", "PUT"),
        Post(
            "/databases/db/subscriptions/update",
            """{"Name":"s","Query":"from Users","ChangeVector":"LastDocument"}"""
        ),
        Post(
            "/databases/db/admin/indexes",
            """{"Indexes":[{"Name":"I","Maps":["from u in docs.Users select new { u.Name }"],"Fields":{"Name":{"Indexing":"Search"}}}]}""",
            "PUT"
        ),
        Post(
            "/databases/db/admin/revisions/config",
            """{"Default":{"Disabled":false,"MinimumRevisionsToKeep":5,"MinimumRevisionAgeToKeep":"1.00:00:00"},"Collections":{}}"""
        ),
        Post("/admin/databases?name=other", """{"DatabaseName":"other","Settings":{}}""", "PUT"),
        "GET /databases/db/docs?id=users/1&include=Company&metadataOnly=true HTTP/1.1\r\nHost: 127.0.0.1\r\nIf-None-Match: \"A:1-x\"\r\n\r\n",
        "GET /databases/db/docs?startsWith=u&matches=*1|?2&start=0&pageSize=3 HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip, deflate\r\n\r\n",
        "GET /databases/db/streams/docs?format=jsonl HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "GET /databases/db/hilo/next?tag=users&lastBatchSize=3&lastRangeAt=2026-01-01T00:00:00Z&identityPartsSeparator=/&lastMax=9 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "GET /databases/db/revisions?id=users/1&before=2026-01-01T00:00:00.0000000Z&start=1&pageSize=2 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "GET /info/remote-task/tcp?database=db&remote-task=s&tag=Subscription/db&verify-database=true HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "GET /databases/db/changes HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\x81\x85\0\0\0\0hello",
    ];

    private static readonly string[] Messages =
    [
        """{"DatabaseName":"db","Operation":"Subscription","SourceNodeTag":null,"OperationVersion":53000,"AuthorizeInfo":null,"LicensedFeatures":{"DataCompression":true}}{"SubscriptionName":"all","Strategy":"TakeOver","MaxDocsPerBatch":1}{"Type":"Acknowledge","ChangeVector":"A:1-AAAAAAAAAAAAAAAAAAAAAA"}""",
        """{"DatabaseName":"db","Operation":"Subscription","OperationVersion":60000}{"DatabaseName":"db","Operation":"Subscription","OperationVersion":53000} {"SubscriptionName":"all","CloseWhenNoDocsLeft":true,"Strategy":"OpenIfFree"}""",
    ];

    private static readonly string[] Queries =
    [
        "from Users where search(Name, 'a* b') order by Age as long desc select Name, Age limit 5",
        "from Users where regex(Name, '(a+)+$')",
        "from Users where lucene(Name, 'A*~2 AND [a TO z]^3')",
        "from index 'Users/ByAll' select suggest(Name, 'x', '{\"Accuracy\":0.1,\"PageSize\":10}')",
        "from index 'Users/ByAll' select facet(Age < 10, Age >= 10), facet(Name, sum(Age))",
        "from Users where spatial.within(spatial.point(Lat, Lng), spatial.wkt('POLYGON((0 0,1 0,1 1,0 0))'))",
        "from Users where spatial.within(spatial.point(Lat, Lng), spatial.circle(100, 12, -3, 'miles')) order by spatial.distance(spatial.point(Lat, Lng), spatial.point(1, 2))",
        "from Users group by Name where count() > 1 order by count() select key(), sum(Age)",
        "declare function f(u) { return { n: u.Name.repeat(3) }; } from Users as u load u.Company as c select f(u)",
        "from Users where morelikethis(id() = 'users/1')",
        "from Users where id() in ('users/1', 'users/2') include Company, highlight(Name, 20, 2), timings()",
        "from Users where intersect(Age > 1, Age < 100) and exists(Name) filter Age > 2 filter_limit 10",
        "from @all_docs where startswith(id(), 'u') limit 1 offset 0x7fffffff",
    ];

    [Fact]
    public Task Damaged_requests_harm_nobody() =>
        RunAsync(
            new FuzzRun(ShortRounds, 20_260_101),
            random => Damage(random, [.. Requests.Select(Encoding.Latin1.GetBytes)])
        );

    [Fact]
    public Task Damaged_messages_harm_nobody() =>
        RunAsync(
            new FuzzRun(ShortRounds, 20_260_101),
            random => Damage(random, [.. Messages.Select(Encoding.Latin1.GetBytes)])
        );

    [Fact]
    public Task Damaged_queries_harm_nobody() =>
        RunAsync(
            new FuzzRun(ShortRounds, 20_260_102),
            random =>
            {
                var texts = new QueryTexts(random.Next());
                var query = random.Next(3) == 0 ? texts.Query() : Queries[random.Next(Queries.Length)];
                for (var times = random.Next(4); times > 0; times--)
                    query = texts.Mutate(query);
                var parameters = new Dictionary<string, object?>
                {
                    ["p"] = random.Next(2) == 0 ? "a" : 3,
                    ["list"] = new object?[] { 1, "a", null },
                    ["a"] = 5,
                    ["o"] = new { Accuracy = 0.1 },
                };
                var body = JsonSerializer.SerializeToUtf8Bytes(
                    new
                    {
                        Query = query,
                        QueryParameters = parameters,
                        Start = random.Next(3),
                        PageSize = random.Next(20),
                    }
                );
                return
                [
                    .. Encoding.ASCII.GetBytes(
                        $"POST /databases/db/queries HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {body.Length}\r\n\r\n"
                    ),
                    .. body,
                ];
            }
        );

    private async Task RunAsync(FuzzRun run, Func<Random, byte[]> make)
    {
        // Kestrel's own words on connections that clients break off are no faults.
        var log = new CapturedLines
        {
            Keeps = (level, e) => level >= LogLevel.Error && e.Name != "RequestBodyDrainBodyReaderInvalidState",
        };
        await using var server = await PipelineServer.StartAsync(
            new ServerOptions
            {
                Loggers = log,
                Limits = new ServerLimits
                {
                    MaxRequestBytes = 1 << 16,
                    MaxHeadTime = TimeSpan.FromSeconds(2),
                    DrainTime = TimeSpan.FromSeconds(1),
                    MaxDatabases = 8,
                    MaxRequestTime = TimeSpan.FromSeconds(5),
                },
            }
        );
        var database = await server.CreateDatabaseAsync("db");
        for (var i = 2; i < 40; i++)
        {
            await database.PutAsync(
                $"users/{i}",
                Encoding.UTF8.GetBytes(
                    $$$"""{"Name":"{{{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"[..(i % 30)]}}} b","Age":{{{i}}},"Lat":{{{i}}},"Lng":-{{{i}}},"Lines":[{"Product":"p/{{{i % 3}}}"}],"@metadata":{"@collection":"Users"}}"""
                )
            );
        }

        await database.Indexes.PutAsync(
            new IndexDefinition { Name = "Users/ByAll", Maps = ["from u in docs.Users select new { u.Name, u.Age }"] }
        );
        await database.PutAsync(
            "users/1",
            """{"Name":"Ann","Age":30,"Company":"companies/1","@metadata":{"@collection":"Users"}}"""u8.ToArray()
        );
        await server.GetSubscriptions("db")!.CreateAsync(new() { Name = "all", Query = "from Users" });
        var random = new Random(run.Seed);
        var answered = new Dictionary<string, int>(StringComparer.Ordinal);
        while (run.Next())
        {
            var bytes = make(random);
            using var late = new CancellationTokenSource(Hang);
            string answer;
            try
            {
                answer = await RawHttp.AskAsync(server.Url, bytes, TimeSpan.FromMilliseconds(20), late.Token);
            }
            catch (OperationCanceledException)
            {
                throw new TimeoutException(
                    $"round {run.Rounds}, seed {run.Seed}: no answer and no end to\n{Encoding.Latin1.GetString(bytes)}"
                );
            }
            var status =
                answer.StartsWith("HTTP/1.1 ", StringComparison.Ordinal) && answer.Length > 12 ? answer[9..12]
                : answer.Length == 0 ? "nothing"
                : answer[0] == '{' ? "message"
                : "else";
            answered[status] = answered.GetValueOrDefault(status) + 1;
            Assert.True(
                log.Lines.IsEmpty,
                $"round {run.Rounds}, seed {run.Seed}: {string.Join('\n', log.Lines)}\n{Encoding.Latin1.GetString(bytes)}"
            );
        }
        output.WriteLine(
            $"{run.End()}: {string.Join(", ", answered.OrderByDescending(a => a.Value).Select(a => $"{a.Key} {a.Value}"))}"
        );
        Assert.Contains(
            "200 OK",
            await RawHttp.AskAsync(
                server.Url,
                "GET /databases/db/stats HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
            ),
            StringComparison.Ordinal
        );
    }

    private static byte[] Damage(Random random, byte[][] seeds)
    {
        var bytes = new List<byte>(seeds[random.Next(seeds.Length)]);
        for (var times = random.Next(6); times > 0; times--)
        {
            var at = random.Next(bytes.Count + 1);
            switch (random.Next(7))
            {
                case 0 when at < bytes.Count:
                    bytes[at] = (byte)random.Next(256);
                    break;
                case 1:
                    bytes.Insert(at, (byte)random.Next(256));
                    break;
                case 2 when at < bytes.Count:
                    bytes.RemoveRange(at, Math.Min(random.Next(1, 20), bytes.Count - at));
                    break;
                case 3:
                    bytes.RemoveRange(at, bytes.Count - at);
                    break;
                case 4:
                    bytes.InsertRange(at, seeds[random.Next(seeds.Length)]);
                    break;
                case 5:
                    bytes.InsertRange(at, Encoding.ASCII.GetBytes(Tokens[random.Next(Tokens.Length)]));
                    break;
                default:
                    bytes.InsertRange(at, new byte[random.Next(1, 3_000)]);
                    break;
            }
        }
        return [.. bytes];
    }

    private static readonly string[] Tokens =
    [
        "null",
        "{}",
        "[]",
        "-1",
        "99999999999999999999",
        "\"",
        "\\u0000",
        "{",
        "]",
        ":",
        "\r\n",
        "\r\n\r\n",
        "%00",
        "%2e%2e%2f",
        "true",
        "1e999",
        "\"Id\":7,",
        "\"Type\":\"PATCH\",",
    ];

    private static string Post(string path, string body, string method = "POST") =>
        $"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {body.Length}\r\n\r\n{body}";
}
