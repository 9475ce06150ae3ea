using System.Globalization;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Pipeline.Database.Queries;
using Pipeline.Documents;
using Pipeline.Server.Answers;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary><c>revisions</c>: former versions of documents, and the settings for keeping them.</summary>
internal static class RevisionEndpoints
{
    private const int DefaultPage = 25;

    /// <summary>Adds the endpoints.</summary>
    public static void Add(DatabaseRoutes routes)
    {
        routes.Add("GET", "/revisions", DatabaseAccess.Read, GetAsync);
        routes.Add("GET", "/revisions/count", DatabaseAccess.Read, CountAsync);
        routes.Add("GET", "/revisions/bin", DatabaseAccess.Read, BinAsync);
        routes.Add("GET", "/revisions/config", DatabaseAccess.Read, ConfigurationAsync);
        routes.Add("POST", "/admin/revisions/config", DatabaseAccess.Admin, ConfigureAsync);
    }

    private static Task GetAsync(DatabaseRequest request)
    {
        using var snapshot = request.Database.OpenSnapshot("revisions");
        var found = Find(request, snapshot, out var total);
        if (found is [null] && request.Text("changeVector") is not null)
            return request.AnswerAsync(StatusCodes.Status404NotFound);
        var etag = new ETagHash().Add(total);
        foreach (var version in found)
            etag.Add(version?.Position ?? 0);
        if (request.IsKnown(etag.ToString()))
            return Task.CompletedTask;
        var metadataOnly = request.Flag("metadataOnly");
        return request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                answer.Json.WriteStartObject();
                answer.Json.WriteStartArray("Results");
                foreach (var version in found)
                    Write(answer, version, metadataOnly);
                answer.Json.WriteEndArray();
                answer.Json.WriteNumber("TotalResults", total);
                answer.Json.WriteEndObject();
            }
        );
    }

    private static List<Document?> Find(DatabaseRequest request, DatabaseSnapshot snapshot, out long total)
    {
        if (request.Texts("changeVector") is { Count: > 0 } vectors)
        {
            total = vectors.Count;
            return
            [
                .. vectors.Select(v => snapshot.TryGetRevision(v, out var version) ? Held(request, version) : null),
            ];
        }
        var id = request.Required("id");
        if (request.Text("before") is { Length: > 0 } before)
        {
            var then = At(request, snapshot, id, Time("before", before));
            total = then is null ? 0 : 1;
            return then is null ? [] : [then];
        }
        total = Count(request, snapshot, id);
        return total == 0
            ? []
            :
            [
                .. snapshot
                    .GetRevisions(
                        id,
                        request.Number("start", 0) + Unkept(request, snapshot, id),
                        request.Number("pageSize", DefaultPage)
                    )
                    .Select(v => Held(request, v)),
            ];
    }

    private static Document Held(DatabaseRequest request, Document version)
    {
        request.Memory.Hold(version.Bytes);
        return version;
    }

    private static Task CountAsync(DatabaseRequest request)
    {
        using var snapshot = request.Database.OpenSnapshot("revisions");
        var count = Count(request, snapshot, request.Required("id"));
        return request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                answer.Json.WriteStartObject();
                answer.Json.WriteNumber("RevisionsCount", count);
                answer.Json.WriteEndObject();
            }
        );
    }

    /// <summary>Lists deleted documents with former versions.</summary>
    private static Task BinAsync(DatabaseRequest request)
    {
        using var snapshot = request.Database.OpenSnapshot("revisions");
        var (start, most) = (
            (int)Math.Clamp(request.Number("start", 0), 0, int.MaxValue),
            (int)Math.Clamp(request.Number("pageSize", DefaultPage), 0, int.MaxValue)
        );
        return request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                answer.Json.WriteStartObject();
                answer.Json.WriteStartArray("Results");
                foreach (var version in snapshot.GetDeletedWithRevisions().Skip(start).Take(most))
                    Write(answer, version, metadataOnly: true);
                answer.Json.WriteEndArray();
                answer.Json.WriteEndObject();
            }
        );
    }

    private static long Count(DatabaseRequest request, DatabaseSnapshot snapshot, string id) =>
        Math.Max(0, snapshot.CountRevisions(id) - Unkept(request, snapshot, id));

    /// <summary>
    /// How many of a document's newest versions are not revisions. If its versions are not kept, the current version is
    /// not a revision, even if others were kept on demand.
    /// </summary>
    private static long Unkept(DatabaseRequest request, DatabaseSnapshot snapshot, string id) =>
        snapshot.GetRevisions(id, 0, 1).FirstOrDefault() is { } current && !IsKept(request, current) ? 1 : 0;

    private static bool IsKept(DatabaseRequest request, Document version) =>
        request.Database.Revisions.Configuration.Find(version.Collection) is { Enabled: true };

    private static void Write(JsonAnswer answer, Document? version, bool metadataOnly)
    {
        if (version is null)
        {
            answer.Json.WriteNullValue();
        }
        else
        {
            answer.Document(
                version,
                metadataOnly,
                version.IsDeleted
                    ? DocumentFlags.HasRevisions | DocumentFlags.DeleteRevision
                    : DocumentFlags.HasRevisions | DocumentFlags.Revision
            );
        }
    }

    /// <summary>
    /// The versions to include with loaded documents: those whose change vectors the documents contain, and those as of
    /// a time.
    /// </summary>
    public static List<IncludedRevision> Included(
        DatabaseRequest request,
        DatabaseSnapshot snapshot,
        IReadOnlyList<Document?> documents
    )
    {
        List<IncludedRevision> found = [];
        foreach (
            var vector in request
                .Texts("revisions")
                .SelectMany(path => DocumentEndpoints.Reached(documents, path))
                .Distinct(StringComparer.Ordinal)
        )
        {
            if (snapshot.TryGetRevision(vector, out var version))
                found.Add(new IncludedRevision(version.Id, version.ChangeVector, null, Held(request, version)));
        }
        if (request.Text("revisionsBefore") is not { Length: > 0 } text)
            return found;
        var time = Time("revisionsBefore", text);
        foreach (var document in documents.OfType<Document>())
        {
            if (At(request, snapshot, document.Id, time) is { } then)
                found.Add(new IncludedRevision(then.Id, then.ChangeVector, time, Held(request, then)));
        }
        return found;
    }

    /// <summary>Writes the versions included with documents or results.</summary>
    public static void WriteIncludes(JsonAnswer answer, IReadOnlyList<IncludedRevision> versions)
    {
        answer.Json.WriteStartArray("RevisionIncludes");
        foreach (var version in versions)
        {
            answer.Json.WriteStartObject();
            answer.Json.WriteString("Id", version.Id);
            answer.Json.WriteString("ChangeVector", version.ChangeVector);
            answer.Json.WriteString("Before", version.Before is { } before ? JsonAnswer.Time(before) : null);
            answer.Json.WritePropertyName("Revision");
            Write(answer, version.Revision, metadataOnly: false);
            answer.Json.WriteEndObject();
        }
        answer.Json.WriteEndArray();
    }

    private static DateTimeOffset Time(string name, string text) =>
        DateTimeOffset.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out var time)
            ? time
            : throw new BadRequestException(
                $"'{name}' is '{text}', a time such as 2026-01-31T12:00:00.0000000Z is expected"
            );

    private static Document? At(DatabaseRequest request, DatabaseSnapshot snapshot, string id, DateTimeOffset time) =>
        snapshot.GetRevisions(id, Unkept(request, snapshot, id)).FirstOrDefault(v => v.LastModified <= time);

    private static Task ConfigurationAsync(DatabaseRequest request)
    {
        var configuration = request.Database.Revisions.Configuration;
        if (configuration.Default is null && configuration.Collections.Count == 0)
            return request.AnswerAsync(StatusCodes.Status404NotFound);
        return request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                answer.Json.WriteStartObject();
                answer.Json.WritePropertyName("Default");
                WritePolicy(answer.Json, configuration.Default);
                answer.Json.WriteStartObject("Collections");
                foreach (var (name, policy) in configuration.Collections)
                {
                    answer.Json.WritePropertyName(name);
                    WritePolicy(answer.Json, policy);
                }
                answer.Json.WriteEndObject();
                answer.Json.WriteEndObject();
            }
        );
    }

    private static void WritePolicy(Utf8JsonWriter json, RevisionPolicy? policy)
    {
        if (policy is null)
        {
            json.WriteNullValue();
            return;
        }
        json.WriteStartObject();
        json.WriteBoolean("Disabled", !policy.Enabled);
        if (policy.Keep is { } keep)
            json.WriteNumber("MinimumRevisionsToKeep", keep);
        else
            json.WriteNull("MinimumRevisionsToKeep");
        json.WriteString("MinimumRevisionAgeToKeep", policy.Age?.ToString("c", CultureInfo.InvariantCulture));
        json.WriteBoolean("PurgeOnDelete", policy.PurgeOnDelete);
        json.WriteEndObject();
    }

    private static async Task ConfigureAsync(DatabaseRequest request)
    {
        using var body = await request.ReadJsonAsync().ConfigureAwait(false);
        var root = body.RootElement;
        if (root.ValueKind != JsonValueKind.Object)
        {
            throw new BadRequestException(
                "the configuration of revisions is an object with 'Default' and 'Collections'"
            );
        }

        var configuration = new RevisionConfiguration
        {
            Default =
                root.TryGetProperty("Default", out var otherwise) && otherwise.ValueKind == JsonValueKind.Object
                    ? ReadPolicy(otherwise)
                    : null,
            Collections =
                root.TryGetProperty("Collections", out var collections) && collections.ValueKind == JsonValueKind.Object
                    ? collections
                        .EnumerateObject()
                        .ToDictionary(c => c.Name, c => ReadPolicy(c.Value), StringComparer.Ordinal)
                    : [],
        };
        await request.Database.Revisions.ConfigureAsync(configuration, request.Aborted).ConfigureAwait(false);
        await request
            .AnswerAsync(StatusCodes.Status200OK, "{\"RaftCommandIndex\":1}"u8.ToArray())
            .ConfigureAwait(false);
    }

    private static RevisionPolicy ReadPolicy(JsonElement json)
    {
        if (json.ValueKind != JsonValueKind.Object)
            throw new BadRequestException("the revision settings of a collection must be an object");
        return new RevisionPolicy
        {
            Enabled = !(json.TryGetProperty("Disabled", out var disabled) && disabled.ValueKind == JsonValueKind.True),
            Keep =
                json.TryGetProperty("MinimumRevisionsToKeep", out var keep) && keep.ValueKind == JsonValueKind.Number
                    ? (int)Math.Clamp(keep.GetInt64(), int.MinValue, int.MaxValue)
                    : null,
            Age =
                json.TryGetProperty("MinimumRevisionAgeToKeep", out var age) && age.ValueKind == JsonValueKind.String
                    ? TimeSpan.TryParse(age.GetString(), CultureInfo.InvariantCulture, out var span)
                        ? span
                        : throw new BadRequestException(
                            $"'MinimumRevisionAgeToKeep' is '{age.GetString()}'; write a time span such as 7.00:00:00"
                        )
                    : null,
            PurgeOnDelete =
                json.TryGetProperty("PurgeOnDelete", out var purge) && purge.ValueKind == JsonValueKind.True,
        };
    }
}
