using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Pipeline.Database.Indexes;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;
using Pipeline.Server.Security;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary><c>indexes</c>: definitions, their state and errors.</summary>
internal static class IndexEndpoints
{
    /// <summary>Adds them.</summary>
    public static void Add(DatabaseRoutes routes, bool allowsCSharp)
    {
        routes.Add("PUT", "/admin/indexes", DatabaseAccess.Admin, request => PutAsync(request, allowsCSharp));
        routes.Add("PUT", "/indexes", DatabaseAccess.Admin, request => PutAsync(request, allowsCSharp));
        routes.Add("GET", "/indexes", DatabaseAccess.Read, GetAsync);
        routes.Add("DELETE", "/indexes", DatabaseAccess.ReadWrite, DeleteAsync);
        routes.Add("RESET", "/indexes", DatabaseAccess.ReadWrite, ResetAsync);
        routes.Add("POST", "/indexes/has-changed", DatabaseAccess.Read, HasChangedAsync);
        routes.Add("GET", "/indexes/stats", DatabaseAccess.Read, IndexReports.StatisticsAsync);
        routes.Add("GET", "/indexes/staleness", DatabaseAccess.Read, IndexReports.StalenessAsync);
        routes.Add("GET", "/indexes/progress", DatabaseAccess.Read, IndexReports.ProgressAsync);
        routes.Add("GET", "/indexes/status", DatabaseAccess.Read, IndexReports.StatusAsync);
        routes.Add("GET", "/indexes/errors", DatabaseAccess.Read, IndexReports.ErrorsAsync);
        routes.Add("DELETE", "/indexes/errors", DatabaseAccess.ReadWrite, ClearErrorsAsync);
        routes.Add("GET", "/indexes/terms", DatabaseAccess.Read, IndexTerms.TermsAsync);
        routes.Add(
            "POST",
            "/indexes/set-lock",
            DatabaseAccess.ReadWrite,
            request => ChangeAsync<IndexLockMode>(request, "Mode", (index, mode) => index with { LockMode = mode })
        );
        routes.Add(
            "POST",
            "/indexes/set-priority",
            DatabaseAccess.ReadWrite,
            request =>
                ChangeAsync<IndexPriority>(request, "Priority", (index, level) => index with { Priority = level })
        );
        AddState("start", IndexState.Normal);
        AddState("stop", IndexState.Paused);
        AddState("enable", IndexState.Normal);
        AddState("disable", IndexState.Disabled);

        void AddState(string action, IndexState state) =>
            routes.Add(
                "POST",
                "/admin/indexes/" + action,
                DatabaseAccess.Admin,
                request => SetAllAsync(request, state)
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
        return NamedIndexes.ResultsAsync(
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

    private static async Task ClearErrorsAsync(DatabaseRequest request)
    {
        foreach (var index in NamedIndexes.Chosen(request))
            await request.Database.Indexes.ClearErrorsAsync(index.Name, request.Aborted).ConfigureAwait(false);
        await request.AnswerAsync(StatusCodes.Status204NoContent).ConfigureAwait(false);
    }

    private static async Task ChangeAsync<TValue>(
        DatabaseRequest request,
        string what,
        Func<IndexDefinition, TValue, IndexDefinition> change
    )
        where TValue : struct, Enum
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
        var current = names.Select(n => NamedIndexes.Find(request, n).Definition).ToList();
        if (!(Enum.TryParse<TValue>(text, out var value) && Enum.IsDefined(value)))
            throw new BadRequestException($"'{what}' cannot be '{text}'");
        var changed = current.Select(definition => change(definition, value)).ToList();
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

    private static async Task SetAllAsync(DatabaseRequest request, IndexState state)
    {
        foreach (var index in NamedIndexes.Chosen(request))
            await request.Database.Indexes.SetStateAsync(index.Name, state, request.Aborted).ConfigureAwait(false);
        if (request.Texts("name").Count == 0)
            request.Served.IsIndexingStopped = state == IndexState.Paused;
        await request.AnswerAsync(StatusCodes.Status204NoContent).ConfigureAwait(false);
    }
}
