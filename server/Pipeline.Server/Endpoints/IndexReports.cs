using Microsoft.AspNetCore.Http;
using Pipeline.Database.Indexes;
using Pipeline.Server.Answers;
using Pipeline.Server.Protocol;

namespace Pipeline.Server.Endpoints;

/// <summary>Answers about the state of indexes: statistics, staleness, progress, errors.</summary>
internal static class IndexReports
{
    public static Task StatisticsAsync(DatabaseRequest request) =>
        NamedIndexes.ResultsAsync(
            request,
            NamedIndexes.Chosen(request),
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

    public static Task StalenessAsync(DatabaseRequest request)
    {
        var index = NamedIndexes.Named(request);
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

    public static Task ProgressAsync(DatabaseRequest request) =>
        NamedIndexes.ResultsAsync(
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

    public static Task StatusAsync(DatabaseRequest request)
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

    public static Task ErrorsAsync(DatabaseRequest request) =>
        NamedIndexes.ResultsAsync(
            request,
            NamedIndexes.Chosen(request),
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
}
