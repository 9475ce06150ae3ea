using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Pipeline.Server.Hosting;
using Pipeline.Server.Protocol;
using Pipeline.Server.Security;
using Pipeline.Storage;

namespace Pipeline.Server.Endpoints;

/// <summary><c>operations</c>: work that continues after its request was answered.</summary>
internal static class OperationEndpoints
{
    /// <summary>Adds the endpoints.</summary>
    public static void Add(DatabaseRoutes routes)
    {
        routes.Add(
            "GET",
            "/operations/next-operation-id",
            DatabaseAccess.Read,
            request =>
                request.AnswerAsync(
                    StatusCodes.Status200OK,
                    answer => WriteId(answer.Json, "Id", request.Served.Operations.NextId())
                )
        );
        routes.Add("GET", "/operations/state", DatabaseAccess.Read, StateAsync);
        routes.Add("POST", "/operations/kill", DatabaseAccess.ReadWrite, KillAsync);
    }

    /// <summary>Tells the client the number of an operation.</summary>
    public static Task AnswerStartedAsync(DatabaseRequest request, Operation operation) =>
        request.AnswerAsync(StatusCodes.Status200OK, answer => WriteId(answer.Json, "OperationId", operation.Id));

    private static void WriteId(Utf8JsonWriter json, string name, long id)
    {
        json.WriteStartObject();
        json.WriteNumber(name, id);
        json.WriteString(name == "Id" ? "NodeTag" : "OperationNodeTag", "A");
        json.WriteEndObject();
    }

    private static Task StateAsync(DatabaseRequest request)
    {
        if (request.Served.Operations.Get(request.Number("id", 0)) is not { } operation)
            return request.AnswerAsync(StatusCodes.Status404NotFound);
        return request.AnswerAsync(StatusCodes.Status200OK, answer => Write(answer.Json, operation));
    }

    private static Task KillAsync(DatabaseRequest request)
    {
        request.Served.Operations.Get(request.Number("id", 0))?.Stop();
        return request.AnswerAsync(StatusCodes.Status204NoContent);
    }

    /// <summary>Writes an operation's state.</summary>
    public static void Write(Utf8JsonWriter json, Operation operation)
    {
        var (total, processed) = operation.Progress;
        json.WriteStartObject();
        json.WriteString("Status", operation.Status.ToString());
        json.WriteStartObject("Progress");
        json.WriteNumber("Total", total);
        json.WriteNumber("Processed", processed);
        json.WriteEndObject();
        json.WritePropertyName("Result");
        if (operation.Error is { } error)
        {
            json.WriteStartObject();
            json.WriteString("Type", ErrorAnswer.TypeOf(error));
            json.WriteString("Message", error.Message);
            json.WriteString("Error", $"{ErrorAnswer.TypeOf(error)}: {error.Message}");
            json.WriteNumber(
                "StatusCode",
                error is DiskFullException ? ErrorAnswer.StatusOf(error) : StatusCodes.Status500InternalServerError
            );
            json.WriteEndObject();
        }
        else if (operation.Status == OperationStatus.Completed)
        {
            json.WriteStartObject();
            json.WriteNumber("Total", total);
            json.WriteStartArray("Details");
            json.WriteEndArray();
            json.WriteEndObject();
        }
        else
        {
            json.WriteNullValue();
        }
        json.WriteEndObject();
    }
}
