using System.Globalization;
using System.Net;
using System.Net.Http.Json;
using System.Text;
using System.Text.Json;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Xunit;

namespace Pipeline.Client.Tests.Server;

/// <summary>Odd and huge shapes, in queries and in documents, are answered or refused and are no server's fault.</summary>
public sealed class SpatialLimitTests : IAsyncLifetime, IDisposable
{
    private static readonly JsonSerializerOptions Plain = new();
    private PipelineServer _server = null!;
    private HttpClient _http = null!;

    public async Task InitializeAsync()
    {
        _server = await PipelineServer.StartAsync(
            new ServerOptions
            {
                Limits = new ServerLimits { MaxRequestMemory = 32 << 20, MaxMemory = 64 << 20 },
            }
        );
        _http = new HttpClient { BaseAddress = _server.Url };
        var database = await _server.CreateDatabaseAsync("db");
        string[] odd =
        [
            "1e308",
            "-1e308",
            "91",
            "-181",
            "1e-320",
            "null",
            "\"NaN\"",
            "\"Infinity\"",
            "true",
            "[1,2]",
            "{\"A\":1}",
            "12345678901234567890123456789",
            "-0.0",
        ];
        for (var i = 0; i < odd.Length; i++)
            await PutAsync($"odd/{i}", odd[i], odd[^(i + 1)]);
        for (var i = 0; i < 200; i++)
        {
            await PutAsync(
                $"users/{i}",
                (i % 80).ToString(CultureInfo.InvariantCulture),
                (i % 170).ToString(CultureInfo.InvariantCulture)
            );
        }

        Task PutAsync(string id, string latitude, string longitude) =>
            database.PutAsync(
                id,
                Encoding.UTF8.GetBytes(
                    $$$"""{"Lat":{{{latitude}}},"Lng":{{{longitude}}},"@metadata":{"@collection":"Users"}}"""
                )
            );
    }

    public async Task DisposeAsync() => await _server.DisposeAsync();

    public void Dispose() => _http.Dispose();

    [Theory]
    [InlineData("")]
    [InlineData("POINT EMPTY")]
    [InlineData("POLYGON EMPTY")]
    [InlineData("POINT(NaN NaN)")]
    [InlineData("POINT(Infinity -Infinity)")]
    [InlineData("POINT(1e400 1)")]
    [InlineData("POLYGON((0 0, 1 1, 0 0))")]
    [InlineData("POLYGON((0 0, 0 0, 0 0, 0 0))")]
    [InlineData("POLYGON((0 0, 10 10, 10 0, 0 10, 0 0))")]
    [InlineData("POLYGON((0 0, NaN 0, 1 1, 0 0))")]
    [InlineData("POLYGON((-180 -90, 180 -90, 180 90, -180 90, -180 -90))")]
    [InlineData("POLYGON((179 0, -179 0, -179 1, 179 1, 179 0))")]
    [InlineData("POLYGON((0 0, 999 0, 999 999, 0 0))")]
    [InlineData("POLYGON((0 0, 5 0, 5 5, 0 0), (-50 -50, 50 -50, 50 50, -50 -50))")]
    [InlineData("LINESTRING(0 0, 1 1)")]
    [InlineData("GEOMETRYCOLLECTION(LINESTRING(0 0, 1 1))")]
    [InlineData("GEOMETRYCOLLECTION EMPTY")]
    [InlineData("CURVEPOLYGON(CIRCULARSTRING(0 0, 1 1, 0 0))")]
    [InlineData("CIRCLE(0 0 d=1e9)")]
    [InlineData("CIRCLE(0 0 d=-5)")]
    [InlineData("CIRCLE(+-.+- .... d=..)")]
    [InlineData("CIRCLE(999 999 d=1)")]
    [InlineData("ENVELOPE(10, -10, -10, 10)")]
    [InlineData("ENVELOPE(-999, 999, 999, -999)")]
    [InlineData("SRID=4326;POINT(1 1)")]
    [InlineData("POINT Z(1 1 1)")]
    [InlineData("\u0000POINT(1 1)")]
    public async Task An_odd_shape_is_answered_or_refused(string shape)
    {
        foreach (var relation in (string[])["within", "disjoint", "intersects", "contains"])
        {
            using var answer = await QueryAsync(
                $"from Users where spatial.{relation}(spatial.point(Lat, Lng), spatial.wkt($w)) limit 5",
                shape
            );
            await AssertClientsAsync(answer);
        }
    }

    [Theory]
    [InlineData(10_000, false)]
    [InlineData(100_000, true)]
    public async Task A_shape_of_many_corners_is_answered_or_refused(int corners, bool isRefused)
    {
        var shape = new StringBuilder("POLYGON((0 0");
        for (var i = 1; i < corners; i++)
        {
            var angle = 2 * Math.PI * i / corners;
            shape.Append(CultureInfo.InvariantCulture, $", {40 * Math.Sin(angle):F2} {40 * (1 - Math.Cos(angle)):F2}");
        }

        using var answer = await QueryAsync(
            "from Users where spatial.within(spatial.point(Lat, Lng), spatial.wkt($w))",
            shape.Append(", 0 0))").ToString()
        );
        await AssertClientsAsync(answer);
        Assert.True(!isRefused || answer.StatusCode != HttpStatusCode.OK, "the shape is longer than the limit");
    }

    [Theory]
    [InlineData("(", ")")]
    [InlineData("GEOMETRYCOLLECTION(", ")")]
    [InlineData("MULTIPOLYGON((", "))")]
    public async Task A_shape_of_many_parts_within_one_another_is_refused(string begin, string end)
    {
        var shape =
            string.Concat(Enumerable.Repeat(begin, 5_000))
            + "POINT(1 1)"
            + string.Concat(Enumerable.Repeat(end, 5_000));
        using var answer = await QueryAsync(
            "from Users where spatial.within(spatial.point(Lat, Lng), spatial.wkt($w))",
            shape
        );
        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
    }

    private Task<HttpResponseMessage> QueryAsync(string query, string shape) =>
        _http.PostAsJsonAsync(
            "/databases/db/queries",
            new
            {
                Query = query,
                QueryParameters = new { w = shape },
                WaitForNonStaleResults = true,
            },
            Plain
        );

    private static async Task AssertClientsAsync(HttpResponseMessage answer)
    {
        var text = await answer.Content.ReadAsStringAsync();
        Assert.True(
            answer.StatusCode is HttpStatusCode.OK or HttpStatusCode.BadRequest or HttpStatusCode.RequestEntityTooLarge,
            $"{(int)answer.StatusCode}: {text[..Math.Min(text.Length, 500)]}"
        );
    }
}
