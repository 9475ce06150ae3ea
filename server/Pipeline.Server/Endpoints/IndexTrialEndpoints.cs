using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Pipeline.Database.Indexes;
using Pipeline.Scripting;
using Pipeline.Server.Answers;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// What people need to write and to understand an index: a definition tried on real documents, the last batches, and
/// the groups of a map-reduce index down to their documents. <c>indexes/performance</c> is part of RavenDB's protocol;
/// the others are not.
/// </summary>
internal static class IndexTrialEndpoints
{
    private const int DefaultSample = 20;
    private const int MaxSample = 1_000;
    private const int MaxGroups = 1_024;
    private const int MaxOutputs = 200;
    private const long MaxScanned = 100_000;

    /// <summary>Adds them.</summary>
    public static void Add(DatabaseRoutes routes, bool allowsCSharp)
    {
        routes.Add("POST", "/admin/indexes/try", DatabaseAccess.Admin, request => TryAsync(request, allowsCSharp));
        routes.Add("GET", "/indexes/groups", DatabaseAccess.Read, GroupsAsync);
        routes.Add("GET", "/indexes/performance", DatabaseAccess.Read, PerformanceAsync);
    }

    private static async Task TryAsync(DatabaseRequest request, bool allowsCSharp)
    {
        using var body = await request.ReadJsonAsync().ConfigureAwait(false);
        if (
            body.RootElement.ValueKind != JsonValueKind.Object
            || !body.RootElement.TryGetProperty("Index", out var index)
        )
        {
            throw new BadRequestException("the body is an object with 'Index', a definition");
        }
        var definition = IndexWire.Read(index);

        // Compiled C# runs as the server itself, also if it is only tried.
        if (!allowsCSharp && !definition.IsJavaScript)
            ClientIdentity.Of(request.Context).Demand(ServerClearance.Admin, $"The index '{definition.Name}' in C#");
        string[] ids =
            body.RootElement.TryGetProperty("Ids", out var given) && given.ValueKind == JsonValueKind.Array
                ? [.. given.EnumerateArray().Select(i => i.GetString()).OfType<string>().Take(MaxSample)]
                : [];
        var sample =
            body.RootElement.TryGetProperty("Sample", out var number) && number.TryGetInt32(out var wanted)
                ? Math.Clamp(wanted, 1, MaxSample)
                : DefaultSample;
        IndexTrial? trial = null;
        IReadOnlyList<ScriptError> faults = [];
        try
        {
            trial = await Task.Run(
                    () => request.Database.Indexes.Try(definition, ids, sample, request.Aborted),
                    request.Aborted
                )
                .ConfigureAwait(false);
        }
        catch (InvalidIndexException e) when (e.Errors.Count > 0)
        {
            faults = e.Errors;
        }

        await request
            .AnswerAsync(StatusCodes.Status200OK, answer => WriteTrial(answer.Json, trial, faults))
            .ConfigureAwait(false);
    }

    private static async Task GroupsAsync(DatabaseRequest request)
    {
        var name = request.Required("name");
        if (request.Text("group") is { Length: > 0 } group)
        {
            var tree = await Task.Run(
                    () => request.Database.Indexes.GetGroup(name, group, MaxOutputs, MaxScanned, request.Aborted),
                    request.Aborted
                )
                .ConfigureAwait(false);
            await request
                .AnswerAsync(StatusCodes.Status200OK, answer => WriteTree(answer.Json, tree))
                .ConfigureAwait(false);
            return;
        }

        var (groups, total) = request.Database.Indexes.GetGroups(
            name,
            (int)Math.Min(int.MaxValue, request.Number("start", 0)),
            (int)Math.Min(MaxGroups, request.Number("pageSize", MaxGroups))
        );
        await request
            .AnswerAsync(
                StatusCodes.Status200OK,
                answer =>
                {
                    answer.Json.WriteStartObject();
                    answer.Json.WriteNumber("TotalResults", total);
                    answer.Json.WriteStartArray("Results");
                    foreach (var one in groups)
                    {
                        answer.Json.WriteStartObject();
                        answer.Json.WriteString("Key", one.Key);
                        answer.Json.WritePropertyName("Result");
                        answer.Json.WriteRawValue(one.Result, skipInputValidation: true);
                        answer.Json.WriteEndObject();
                    }
                    answer.Json.WriteEndArray();
                    answer.Json.WriteEndObject();
                }
            )
            .ConfigureAwait(false);
    }

    private static Task PerformanceAsync(DatabaseRequest request)
    {
        string[] names = request.Texts("name") is { Count: > 0 } given
            ? [.. given]
            : [.. request.Database.Indexes.List().Select(i => i.Name)];
        var all = names.Select(n => (Name: n, Batches: request.Database.Indexes.GetBatches(n))).ToList();
        return request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                answer.Json.WriteStartObject();
                answer.Json.WriteStartArray("Results");
                foreach (var (name, batches) in all)
                {
                    answer.Json.WriteStartObject();
                    answer.Json.WriteString("Name", name);
                    answer.Json.WriteStartArray("Performance");
                    foreach (var batch in batches)
                        Write(answer.Json, batch);
                    answer.Json.WriteEndArray();
                    answer.Json.WriteEndObject();
                }
                answer.Json.WriteEndArray();
                answer.Json.WriteEndObject();
            }
        );
    }

    private static void Write(Utf8JsonWriter json, IndexBatchStatistics batch)
    {
        var duration = batch.MapTime + batch.ReduceTime + batch.CommitTime + batch.ThrottledTime;
        json.WriteStartObject();
        json.WriteString("Started", JsonAnswer.Time(batch.Started));
        json.WriteString("Completed", JsonAnswer.Time(batch.Started + duration));
        json.WriteNumber("DurationInMs", duration.TotalMilliseconds);
        json.WriteNumber("InputCount", batch.Documents);
        json.WriteNumber("OutputCount", batch.Entries);
        json.WriteNumber("FailedCount", batch.Errors);
        json.WriteNumber("GroupCount", batch.Groups);
        json.WriteNumber("MapInMs", batch.MapTime.TotalMilliseconds);
        json.WriteNumber("ReduceInMs", batch.ReduceTime.TotalMilliseconds);
        json.WriteNumber("CommitInMs", batch.CommitTime.TotalMilliseconds);
        json.WriteNumber("ThrottledInMs", batch.ThrottledTime.TotalMilliseconds);
        json.WriteNumber("MemoryInBytes", batch.MemoryBytes);
        json.WriteNumber("Through", batch.Through);
        json.WriteEndObject();
    }

    private static void WriteTrial(Utf8JsonWriter json, IndexTrial? trial, IReadOnlyList<ScriptError> faults)
    {
        json.WriteStartObject();
        json.WriteStartArray("Faults");
        foreach (var fault in faults)
        {
            json.WriteStartObject();
            json.WriteString("Source", fault.Source);
            json.WriteNumber("Line", fault.Line);
            json.WriteNumber("Column", fault.Column);
            json.WriteString("Message", fault.Suggestion is { } s ? $"{fault.Message}; {s}" : fault.Message);
            json.WriteEndObject();
        }
        json.WriteEndArray();
        json.WriteBoolean("IsMapReduce", trial?.IsGrouped ?? false);
        json.WriteStartArray("Fields");
        foreach (var field in trial?.Fields ?? [])
            json.WriteStringValue(field);
        json.WriteEndArray();
        Write(json, "Documents", trial?.Documents ?? []);
        json.WriteStartArray("Groups");
        foreach (var group in trial?.Groups ?? [])
        {
            json.WriteStartObject();
            json.WriteStartArray("Documents");
            foreach (var id in group.Documents)
                json.WriteStringValue(id);
            json.WriteEndArray();
            Raw(json, "Results", group.Results);
            Write(json, group.Error);
            json.WriteEndObject();
        }
        json.WriteEndArray();
        json.WriteEndObject();
    }

    private static void WriteTree(Utf8JsonWriter json, IndexGroupTree tree)
    {
        json.WriteStartObject();
        Write(json, "Documents", tree.Outputs);
        json.WriteStartArray("Parts");
        foreach (var part in tree.Parts)
        {
            json.WriteStartObject();
            json.WriteNumber("Depth", part.Depth);
            json.WriteString("Path", part.Path);
            json.WriteNumber("Outputs", part.Outputs);
            Raw(json, "Results", part.Results);
            json.WriteEndObject();
        }
        json.WriteEndArray();
        json.WriteNumber("Scanned", tree.Scanned);
        json.WriteBoolean("IsComplete", tree.IsComplete);
        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, string name, IReadOnlyList<IndexTrialDocument> documents)
    {
        json.WriteStartArray(name);
        foreach (var document in documents)
        {
            json.WriteStartObject();
            json.WriteString("Id", document.Id);
            Raw(json, "Entries", document.Entries);
            Write(json, document.Error);
            json.WriteEndObject();
        }
        json.WriteEndArray();
    }

    private static void Write(Utf8JsonWriter json, IndexError? error)
    {
        if (error is null)
        {
            json.WriteNull("Error");
            return;
        }

        json.WriteStartObject("Error");
        json.WriteString("Source", error.Source);
        json.WriteNumber("Line", error.Line);
        json.WriteNumber("Column", error.Column);
        json.WriteString("Message", error.Message);
        json.WriteEndObject();
    }

    private static void Raw(Utf8JsonWriter json, string name, IReadOnlyList<string> objects)
    {
        json.WriteStartArray(name);
        foreach (var one in objects)
            json.WriteRawValue(one, skipInputValidation: true);
        json.WriteEndArray();
    }
}
