using System.Globalization;
using Microsoft.AspNetCore.Http;
using Pipeline.Documents;
using Pipeline.Server.Answers;
using Pipeline.Server.Protocol;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// <c>hilo</c>: ranges of numbers from which clients make ids; <c>identity</c>: one number at a time.
/// </summary>
internal static class HiLoEndpoints
{
    private const int SmallestRange = 32;
    private const int LargestRange = 1 << 20;
    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan Late = TimeSpan.FromSeconds(60);

    /// <summary>Adds the endpoints.</summary>
    public static void Add(DatabaseRoutes routes)
    {
        routes.Add("GET", "/hilo/next", DatabaseAccess.ReadWrite, NextAsync, isSafe: false);
        routes.Add("PUT", "/hilo/return", DatabaseAccess.ReadWrite, ReturnAsync);
        routes.Add("POST", "/identity/next", DatabaseAccess.ReadWrite, IdentityAsync);
        routes.Add("POST", "/identity/seed", DatabaseAccess.ReadWrite, SeedAsync);
        routes.Add("GET", "/debug/identities", DatabaseAccess.Read, IdentitiesAsync);
    }

    private static async Task NextAsync(DatabaseRequest request)
    {
        var tag = request.Required("tag");
        var now = request.Served.Time.GetUtcNow();
        var size = RangeSize(request.Number("lastBatchSize", 0), request.Text("lastRangeAt"), now);
        var lastMax = request.Number("lastMax", 0);
        var (prefix, low) = await request
            .Database.WriteAsync(transaction => IdRanges.Take(transaction, tag, size, lastMax), request.Aborted)
            .ConfigureAwait(false);
        var separator = request.Text("identityPartsSeparator") is { Length: 1 } given ? given : "/";
        await request
            .AnswerAsync(
                StatusCodes.Status200OK,
                answer =>
                {
                    answer.Json.WriteStartObject();
                    answer.Json.WriteString("Prefix", prefix ?? tag + separator);
                    answer.Json.WriteNumber("Low", low);
                    answer.Json.WriteNumber("High", low + size - 1);
                    answer.Json.WriteNumber("LastSize", size);
                    answer.Json.WriteString("ServerTag", "A");
                    answer.Json.WriteString("LastRangeAt", JsonAnswer.Time(now));
                    answer.Json.WriteEndObject();
                }
            )
            .ConfigureAwait(false);
    }

    private static async Task ReturnAsync(DatabaseRequest request)
    {
        var (tag, end, last) = (request.Required("tag"), request.Number("end", 0), request.Number("last", 0));
        await request
            .Database.WriteAsync(transaction => IdRanges.Return(transaction, tag, end, last), request.Aborted)
            .ConfigureAwait(false);
        await request.AnswerAsync(StatusCodes.Status204NoContent).ConfigureAwait(false);
    }

    private static async Task IdentityAsync(DatabaseRequest request)
    {
        var name = request.Required("name").TrimEnd('|', '/');
        var next = await request
            .Database.WriteAsync(transaction => transaction.NextIdentity(name), request.Aborted)
            .ConfigureAwait(false);
        await request
            .AnswerAsync(
                StatusCodes.Status200OK,
                answer =>
                {
                    answer.Json.WriteStartObject();
                    answer.Json.WriteNumber("NewIdentityValue", next);
                    answer.Json.WriteEndObject();
                }
            )
            .ConfigureAwait(false);
    }

    private static async Task SeedAsync(DatabaseRequest request)
    {
        var (name, value, force) = (
            request.Required("name").TrimEnd('|', '/'),
            request.Number("value", 0),
            request.Flag("force")
        );
        var seeded = await request
            .Database.WriteAsync(transaction => transaction.SeedIdentity(name, value, force), request.Aborted)
            .ConfigureAwait(false);
        await request
            .AnswerAsync(
                StatusCodes.Status200OK,
                answer =>
                {
                    answer.Json.WriteStartObject();
                    answer.Json.WriteNumber("NewSeedValue", seeded);
                    answer.Json.WriteEndObject();
                }
            )
            .ConfigureAwait(false);
    }

    private static Task IdentitiesAsync(DatabaseRequest request)
    {
        using var snapshot = request.Database.OpenSnapshot("identities");
        var identities = snapshot.GetIdentities();
        return request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                answer.Json.WriteStartObject();
                foreach (var (name, last) in identities)
                    answer.Json.WriteNumber(name + "|", last);
                answer.Json.WriteEndObject();
            }
        );
    }

    /// <summary>
    /// The size of the next range: twice the last if it was used up soon, half of it if it lasted long.
    /// </summary>
    private static long RangeSize(long last, string? at, DateTimeOffset now)
    {
        if (
            last <= 0
            || !DateTimeOffset.TryParse(
                at,
                CultureInfo.InvariantCulture,
                DateTimeStyles.AssumeUniversal,
                out var before
            )
        )
        {
            return SmallestRange;
        }

        var passed = now - before;
        return Math.Clamp(
            passed < Soon ? last * 2
                : passed > Late ? last / 2
                : last,
            SmallestRange,
            LargestRange
        );
    }
}
