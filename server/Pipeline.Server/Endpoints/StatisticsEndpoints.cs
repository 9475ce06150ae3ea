using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Pipeline.Database.Indexes;
using Pipeline.Documents;
using Pipeline.Server.Answers;
using Pipeline.Server.Protocol;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary><c>stats</c> and <c>collections/stats</c>: counts of documents, and the state of the indexes.</summary>
internal static class StatisticsEndpoints
{
    /// <summary>Adds the endpoints.</summary>
    public static void Add(DatabaseRoutes routes)
    {
        routes.Add("GET", "/stats", DatabaseAccess.Read, StatisticsAsync);
        routes.Add("GET", "/stats/detailed", DatabaseAccess.Read, StatisticsAsync);
        routes.Add("GET", "/stats/essential", DatabaseAccess.Read, StatisticsAsync);
        routes.Add(
            "GET",
            "/collections/stats",
            DatabaseAccess.Read,
            request => CollectionsAsync(request, detailed: false)
        );
        routes.Add(
            "GET",
            "/collections/stats/detailed",
            DatabaseAccess.Read,
            request => CollectionsAsync(request, detailed: true)
        );
        routes.Add("GET", "/healthcheck", DatabaseAccess.Read, request => request.AnswerAsync(StatusCodes.Status200OK));
    }

    private static Task StatisticsAsync(DatabaseRequest request)
    {
        using var snapshot = request.Database.OpenSnapshot("stats");
        var statistics = snapshot.GetStatistics();
        var identities = snapshot.GetIdentities().Count;
        var indexes = request.Database.Indexes.List();
        return request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                var json = answer.Json;
                json.WriteStartObject();
                json.WriteNumber("CountOfIndexes", indexes.Count);
                json.WriteNumber("CountOfDocuments", statistics.Documents);
                json.WriteNumber("CountOfTombstones", statistics.Tombstones);
                json.WriteNumber(
                    "CountOfRevisionDocuments",
                    statistics.Revisions
                        + statistics
                            .Collections.Where(c =>
                                request.Database.Revisions.Configuration.Find(c.Name) is { Enabled: true }
                            )
                            .Sum(c => c.Documents)
                );
                json.WriteNumber("CountOfDocumentsConflicts", 0);
                json.WriteNumber("CountOfConflicts", 0);
                json.WriteNumber("CountOfAttachments", statistics.Attachments);
                json.WriteNumber("CountOfUniqueAttachments", statistics.AttachmentContents);
                json.WriteNumber("CountOfIdentities", identities);
                json.WriteNumber("CountOfCompareExchange", statistics.CompareExchangeValues);
                json.WriteNumber("CountOfCompareExchangeTombstones", 0);
                json.WriteNumber("CountOfCounterEntries", 0);
                json.WriteNumber("CountOfTimeSeriesSegments", 0);
                json.WriteNumber("LastDocEtag", statistics.LastPosition);
                json.WriteNumber("LastDatabaseEtag", statistics.LastPosition);
                json.WriteString(
                    "DatabaseChangeVector",
                    ChangeVector.Format(statistics.LastPosition, request.Database.Id)
                );
                json.WriteString("DatabaseId", request.Database.Id.ToString());
                json.WriteBoolean("Is64Bit", true);
                json.WriteNumber("NumberOfTransactionMergerQueueOperations", 0);
                json.WriteStartObject("SizeOnDisk");
                json.WriteNumber("SizeInBytes", statistics.SizeOnDisk);
                json.WriteEndObject();
                json.WriteStartArray("Indexes");
                foreach (var index in indexes)
                    Write(json, index);
                json.WriteEndArray();
                json.WriteEndObject();
            }
        );
    }

    private static void Write(Utf8JsonWriter json, IndexInfo index)
    {
        json.WriteStartObject();
        json.WriteString("Name", index.Name);
        json.WriteBoolean("IsStale", index.IsStale);
        json.WriteString("State", IndexWire.State(index.State));
        json.WriteString("LockMode", IndexWire.LockMode(index.Definition.LockMode));
        json.WriteString("Priority", index.Definition.Priority.ToString());
        json.WriteString("Type", IndexWire.Type(index.Definition));
        json.WriteString("SourceType", "Documents");
        if (index.LastIndexed is { } at)
            json.WriteString("LastIndexingTime", JsonAnswer.Time(at));
        json.WriteEndObject();
    }

    private static Task CollectionsAsync(DatabaseRequest request, bool detailed)
    {
        using var snapshot = request.Database.OpenSnapshot("stats");
        var statistics = snapshot.GetStatistics();
        return request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                var json = answer.Json;
                json.WriteStartObject();
                json.WriteNumber("CountOfDocuments", statistics.Documents);
                json.WriteNumber("CountOfConflicts", 0);
                json.WriteStartObject("Collections");
                foreach (var collection in statistics.Collections.Where(c => c.Documents > 0))
                {
                    if (!detailed)
                    {
                        json.WriteNumber(collection.Name, collection.Documents);
                        continue;
                    }
                    json.WriteStartObject(collection.Name);
                    json.WriteString("Name", collection.Name);
                    json.WriteNumber("CountOfDocuments", collection.Documents);
                    json.WriteEndObject();
                }
                json.WriteEndObject();
                json.WriteEndObject();
            }
        );
    }
}
