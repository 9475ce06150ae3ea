using System.Globalization;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Indexing;
using Pipeline.Server.Answers;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary><c>indexes</c>: definitions, their state and errors.</summary>
internal static class IndexEndpoints
{
    private const int MostTerms = 1_024;

    /// <summary>Adds them.</summary>
    public static void Add(DatabaseRoutes routes, bool allowsCSharp)
    {
        routes.Add("PUT", "/admin/indexes", DatabaseAccess.Admin, request => PutAsync(request, allowsCSharp));
        routes.Add("PUT", "/indexes", DatabaseAccess.Admin, request => PutAsync(request, allowsCSharp));
        routes.Add("GET", "/indexes", DatabaseAccess.Read, GetAsync);
        routes.Add("DELETE", "/indexes", DatabaseAccess.ReadWrite, DeleteAsync);
        routes.Add("RESET", "/indexes", DatabaseAccess.ReadWrite, ResetAsync);
        routes.Add("POST", "/indexes/has-changed", DatabaseAccess.Read, HasChangedAsync);
        routes.Add("GET", "/indexes/stats", DatabaseAccess.Read, StatisticsAsync);
        routes.Add("GET", "/indexes/staleness", DatabaseAccess.Read, StalenessAsync);
        routes.Add("GET", "/indexes/progress", DatabaseAccess.Read, ProgressAsync);
        routes.Add("GET", "/indexes/status", DatabaseAccess.Read, StatusAsync);
        routes.Add("GET", "/indexes/errors", DatabaseAccess.Read, ErrorsAsync);
        routes.Add("DELETE", "/indexes/errors", DatabaseAccess.ReadWrite, ClearErrorsAsync);
        routes.Add("GET", "/indexes/terms", DatabaseAccess.Read, TermsAsync);
        routes.Add(
            "POST",
            "/indexes/set-lock",
            DatabaseAccess.ReadWrite,
            request =>
                ChangeAsync(
                    request,
                    "Mode",
                    (definition, text) =>
                        Enum.TryParse<IndexLockMode>(text, out var mode) && Enum.IsDefined(mode)
                            ? definition with
                            {
                                LockMode = mode,
                            }
                            : null
                )
        );
        routes.Add(
            "POST",
            "/indexes/set-priority",
            DatabaseAccess.ReadWrite,
            request =>
                ChangeAsync(
                    request,
                    "Priority",
                    (definition, text) =>
                        Enum.TryParse<IndexPriority>(text, out var priority) && Enum.IsDefined(priority)
                            ? definition with
                            {
                                Priority = priority,
                            }
                            : null
                )
        );
        routes.Add(
            "POST",
            "/admin/indexes/start",
            DatabaseAccess.Admin,
            request => SetAllAsync(request, IndexState.Normal)
        );
        routes.Add(
            "POST",
            "/admin/indexes/stop",
            DatabaseAccess.Admin,
            request => SetAllAsync(request, IndexState.Paused)
        );
        routes.Add(
            "POST",
            "/admin/indexes/enable",
            DatabaseAccess.Admin,
            request => SetAllAsync(request, IndexState.Normal)
        );
        routes.Add(
            "POST",
            "/admin/indexes/disable",
            DatabaseAccess.Admin,
            request => SetAllAsync(request, IndexState.Disabled)
        );
    }

    private static async Task PutAsync(DatabaseRequest request, bool allowsCSharp)
    {
        using var body = await request.ReadJsonAsync().ConfigureAwait(false);
        var definitions = RequestBody.List(body, "Indexes").EnumerateArray().Select(IndexWire.Read).ToList();

        // Compiled C# runs as the server itself, and no list of allowed members is a sandbox.
        foreach (var definition in definitions.Where(d => !allowsCSharp && d.Auto is null && !d.IsJavaScript))
            ClientIdentity.Of(request.Context).Demand(ServerClearance.Admin, $"The index '{definition.Name}' in C#");
        foreach (var definition in definitions)
            await request.Database.Indexes.PutAsync(definition, request.Aborted).ConfigureAwait(false);
        await request
            .AnswerAsync(
                StatusCodes.Status201Created,
                answer =>
                {
                    answer.Json.WriteStartObject();
                    answer.Json.WriteStartArray("Results");
                    foreach (var definition in definitions)
                    {
                        answer.Json.WriteStartObject();
                        answer.Json.WriteString("Index", definition.Name);
                        answer.Json.WriteNumber("RaftCommandIndex", 1);
                        answer.Json.WriteEndObject();
                    }
                    answer.Json.WriteEndArray();
                    answer.Json.WriteEndObject();
                }
            )
            .ConfigureAwait(false);
    }

    private static Task GetAsync(DatabaseRequest request)
    {
        IReadOnlyList<IndexInfo> indexes;
        if (request.Text("name") is { Length: > 0 } name)
        {
            if (request.Database.Indexes.Get(name) is not { } index)
                return request.AnswerAsync(StatusCodes.Status404NotFound);
            indexes = [index];
        }
        else
        {
            indexes =
            [
                .. request
                    .Database.Indexes.List()
                    .Skip((int)request.Number("start", 0))
                    .Take((int)Math.Min(int.MaxValue, request.Number("pageSize", int.MaxValue))),
            ];
        }
        var namesOnly = request.Flag("namesOnly");
        return ResultsAsync(
            request,
            indexes,
            (json, index) =>
            {
                if (namesOnly)
                    json.WriteStringValue(index.Name);
                else
                    IndexWire.Write(json, index);
            }
        );
    }

    private static async Task DeleteAsync(DatabaseRequest request)
    {
        var deleted = await request
            .Database.Indexes.DeleteAsync(request.Required("name"), request.Aborted)
            .ConfigureAwait(false);
        await request
            .AnswerAsync(deleted ? StatusCodes.Status204NoContent : StatusCodes.Status404NotFound)
            .ConfigureAwait(false);
    }

    private static async Task ResetAsync(DatabaseRequest request)
    {
        var name = request.Required("name");
        await request.Database.Indexes.ResetAsync(name, request.Aborted).ConfigureAwait(false);
        await request
            .AnswerAsync(
                StatusCodes.Status200OK,
                answer =>
                {
                    answer.Json.WriteStartObject();
                    answer.Json.WriteStartObject("Index");
                    answer.Json.WriteString("Name", name);
                    answer.Json.WriteEndObject();
                    answer.Json.WriteEndObject();
                }
            )
            .ConfigureAwait(false);
    }

    private static async Task HasChangedAsync(DatabaseRequest request)
    {
        using var body = await request.ReadJsonAsync().ConfigureAwait(false);
        var definition = IndexWire.Read(body.RootElement);
        var changed = request.Database.Indexes.Get(definition.Name)?.Definition.AnswerHash != definition.AnswerHash;
        await request
            .AnswerAsync(
                StatusCodes.Status200OK,
                answer =>
                {
                    answer.Json.WriteStartObject();
                    answer.Json.WriteBoolean("Changed", changed);
                    answer.Json.WriteEndObject();
                }
            )
            .ConfigureAwait(false);
    }

    private static Task StatisticsAsync(DatabaseRequest request) =>
        ResultsAsync(
            request,
            Chosen(request),
            (json, index) =>
            {
                json.WriteStartObject();
                json.WriteString("Name", index.Name);
                json.WriteBoolean("IsStale", index.IsStale);
                json.WriteString("State", IndexWire.State(index.State));
                json.WriteString("Status", IndexWire.Status(index.State));
                json.WriteString("LockMode", IndexWire.LockMode(index.Definition.LockMode));
                json.WriteString("Priority", index.Definition.Priority.ToString());
                json.WriteString("Type", IndexWire.Type(index.Definition));
                json.WriteNumber("EntriesCount", index.Entries);
                json.WriteNumber("ErrorsCount", index.Errors);
                json.WriteNumber("MapAttempts", index.Mapped);
                json.WriteNumber("MapSuccesses", Math.Max(0, index.Mapped - index.Errors));
                json.WriteNumber("MapErrors", index.Errors);
                json.WriteBoolean("IsInvalidIndex", index.State == IndexState.Error);
                json.WriteString("Failure", index.Failure);
                json.WriteNumber("Position", index.Position);
                json.WriteNumber("DatabasePosition", request.Database.LastPosition);
                if (index.ReplacementPosition is { } replacement)
                    json.WriteNumber("ReplacementPosition", replacement);
                if (index.LastQueried is { } queried)
                    json.WriteString("LastQueryingTime", JsonAnswer.Time(queried));
                json.WriteStartObject("Collections");
                foreach (var collection in request.Database.Indexes.GetCollections(index.Name))
                {
                    json.WriteStartObject(collection);
                    json.WriteNumber("LastProcessedDocumentEtag", index.Position);
                    json.WriteNumber("DocumentLag", index.Lag);
                    json.WriteEndObject();
                }
                json.WriteEndObject();
                if (index.LastIndexed is { } at)
                    json.WriteString("LastIndexingTime", JsonAnswer.Time(at));
                json.WriteEndObject();
            }
        );

    private static Task StalenessAsync(DatabaseRequest request)
    {
        var index = Named(request);
        return request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                answer.Json.WriteStartObject();
                answer.Json.WriteBoolean("IsStale", index.IsStale);
                answer.Json.WriteStartArray("StalenessReasons");
                if (index.IsStale)
                {
                    answer.Json.WriteStringValue(
                        $"at most {index.Lag} changes after position {index.Position} are not in the index yet"
                    );
                }

                answer.Json.WriteEndArray();
                answer.Json.WriteEndObject();
            }
        );
    }

    private static Task ProgressAsync(DatabaseRequest request) =>
        ResultsAsync(
            request,
            [.. request.Database.Indexes.List().Where(i => i.IsStale)],
            (json, index) =>
            {
                json.WriteStartObject();
                json.WriteString("Name", index.Name);
                json.WriteBoolean("IsStale", true);
                json.WriteString("IndexRunningStatus", IndexWire.Status(index.State));
                json.WriteNumber("Position", index.Position);
                json.WriteNumber("Lag", index.Lag);
                json.WriteEndObject();
            }
        );

    private static Task StatusAsync(DatabaseRequest request)
    {
        var indexes = request.Database.Indexes.List();
        return request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                answer.Json.WriteStartObject();
                answer.Json.WriteString("Status", request.Served.IsIndexingStopped ? "Paused" : "Running");
                answer.Json.WriteStartArray("Indexes");
                foreach (var index in indexes)
                {
                    answer.Json.WriteStartObject();
                    answer.Json.WriteString("Name", index.Name);
                    answer.Json.WriteString("Status", IndexWire.Status(index.State));
                    answer.Json.WriteEndObject();
                }
                answer.Json.WriteEndArray();
                answer.Json.WriteEndObject();
            }
        );
    }

    private static Task ErrorsAsync(DatabaseRequest request) =>
        ResultsAsync(
            request,
            Chosen(request),
            (json, index) =>
            {
                json.WriteStartObject();
                json.WriteString("Name", index.Name);
                json.WriteStartArray("Errors");
                foreach (var error in request.Database.Indexes.GetErrors(index.Name))
                {
                    json.WriteStartObject();
                    json.WriteString("Timestamp", JsonAnswer.Time(error.Time));
                    json.WriteString("Document", error.DocumentId);
                    json.WriteString("Action", error.Source);
                    json.WriteString(
                        "Error",
                        error.Line > 0 ? $"line {error.Line}, column {error.Column}: {error.Message}" : error.Message
                    );
                    json.WriteEndObject();
                }
                json.WriteEndArray();
                json.WriteEndObject();
            }
        );

    private static async Task ClearErrorsAsync(DatabaseRequest request)
    {
        foreach (var index in Chosen(request))
            await request.Database.Indexes.ClearErrorsAsync(index.Name, request.Aborted).ConfigureAwait(false);
        await request.AnswerAsync(StatusCodes.Status204NoContent).ConfigureAwait(false);
    }

    private static async Task ChangeAsync(
        DatabaseRequest request,
        string what,
        Func<IndexDefinition, string, IndexDefinition?> change
    )
    {
        using var body = await request.ReadJsonAsync().ConfigureAwait(false);
        var names = RequestBody
            .List(body, "IndexNames")
            .EnumerateArray()
            .Select(n => n.ValueKind == JsonValueKind.String ? n.GetString()! : "")
            .ToList();
        var text =
            body.RootElement.TryGetProperty(what, out var given) && given.ValueKind == JsonValueKind.String
                ? given.GetString()!
                : "";
        var changed = names
            .Select(n =>
                change(Find(request, n).Definition, text)
                ?? throw new BadRequestException($"'{what}' cannot be '{text}'")
            )
            .ToList();
        foreach (var definition in changed)
        {
            // A lock keeps others from changing an index, not from taking the lock away.
            await request
                .Database.Indexes.PutAsync(definition with { LockMode = IndexLockMode.Unlock }, request.Aborted)
                .ConfigureAwait(false);
            await request.Database.Indexes.PutAsync(definition, request.Aborted).ConfigureAwait(false);
        }
        await request.AnswerAsync(StatusCodes.Status204NoContent).ConfigureAwait(false);
    }

    private static Task TermsAsync(DatabaseRequest request)
    {
        var name = Named(request).Name;
        if (request.Text("field") is not { Length: > 0 } fieldName)
            return FieldsAsync(request, name);
        var most = Math.Min(MostTerms, request.Number("pageSize", MostTerms));
        List<string> terms = [];
        using (var index = request.Database.Indexes.Open(name))
        {
            if (!index.Reader.TryGetField(fieldName, out var field))
            {
                throw new BadRequestException(
                    $"the index '{name}' has no field '{fieldName}'; it has {string.Join(", ", index.FieldNames)}"
                );
            }

            var after = request.Text("fromValue") ?? "";
            AddNumbers(terms, index.Reader.OpenNumbers(field), after, most);
            var from = System.Text.Encoding.UTF8.GetBytes(
                double.TryParse(after, NumberStyles.Float, CultureInfo.InvariantCulture, out _) ? "" : after
            );
            var cursor = index.Reader.OpenTerms(field);
            // What begins with a byte that no UTF-8 has is the index's own.
            for (
                var any = cursor.Seek(from);
                any && terms.Count < most && cursor.Term is not [0xFF, ..];
                any = cursor.MoveNext()
            )
            {
                if (from.Length == 0 || !cursor.Term.SequenceEqual(from))
                    terms.Add(System.Text.Encoding.UTF8.GetString(cursor.Term));
            }
        }
        return request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                answer.Json.WriteStartObject();
                answer.Json.WriteStartArray("Terms");
                foreach (var term in terms)
                    answer.Json.WriteStringValue(term);
                answer.Json.WriteEndArray();
                answer.Json.WriteString("IndexName", name);
                answer.Json.WriteEndObject();
            }
        );
    }

    /// <summary>Without a field, the fields that have terms.</summary>
    private static Task FieldsAsync(DatabaseRequest request, string name)
    {
        List<string> fields;
        using (var index = request.Database.Indexes.Open(name))
            fields = [.. index.FieldNames.Order(StringComparer.Ordinal)];
        return request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                answer.Json.WriteStartObject();
                answer.Json.WriteStartArray("Fields");
                foreach (var field in fields)
                    answer.Json.WriteStringValue(field);
                answer.Json.WriteEndArray();
                answer.Json.WriteString("IndexName", name);
                answer.Json.WriteEndObject();
            }
        );
    }

    /// <summary>Numbers come before texts, by size.</summary>
    private static void AddNumbers(List<string> terms, NumericReader? numbers, string after, long most)
    {
        var low = NumericKey.Min;
        if (
            numbers is null
            || (
                after.Length > 0
                && !(
                    double.TryParse(after, NumberStyles.Float, CultureInfo.InvariantCulture, out var number)
                    && NumericKey.TryFrom(number, out low)
                )
            )
        )
        {
            return;
        }

        var cursor = numbers.OpenCursor();
        for (var any = cursor.Seek(low); any && terms.Count < most; any = cursor.MoveNext())
        {
            var term = cursor.Key.ToDouble().ToString("R", CultureInfo.InvariantCulture);
            if (term != after && (terms.Count == 0 || terms[^1] != term))
                terms.Add(term);
        }
    }

    private static async Task SetAllAsync(DatabaseRequest request, IndexState state)
    {
        foreach (var index in Chosen(request))
            await request.Database.Indexes.SetStateAsync(index.Name, state, request.Aborted).ConfigureAwait(false);
        if (request.Texts("name").Count == 0)
            request.Served.IsIndexingStopped = state == IndexState.Paused;
        await request.AnswerAsync(StatusCodes.Status204NoContent).ConfigureAwait(false);
    }

    private static IReadOnlyList<IndexInfo> Chosen(DatabaseRequest request) =>
        request.Texts("name") is { Count: > 0 } names
            ? [.. names.Select(n => Find(request, n))]
            : request.Database.Indexes.List();

    private static IndexInfo Named(DatabaseRequest request) => Find(request, request.Required("name"));

    private static IndexInfo Find(DatabaseRequest request, string name) =>
        request.Database.Indexes.Get(name)
        ?? throw new IndexNotFoundException(name, request.Database.Indexes.List().Select(i => i.Name));

    private static Task ResultsAsync(
        DatabaseRequest request,
        IReadOnlyList<IndexInfo> indexes,
        Action<Utf8JsonWriter, IndexInfo> write
    ) =>
        request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                answer.Json.WriteStartObject();
                answer.Json.WriteStartArray("Results");
                foreach (var index in indexes)
                    write(answer.Json, index);
                answer.Json.WriteEndArray();
                answer.Json.WriteEndObject();
            }
        );
}
