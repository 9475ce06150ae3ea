using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Pipeline.Server.Operations;
using Pipeline.Server.Protocol;
using Pipeline.Server.Settings;

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
        return request.AnswerAsync(StatusCodes.Status200OK, answer => OperationWire.Write(answer.Json, operation));
    }

    private static Task KillAsync(DatabaseRequest request)
    {
        request.Served.Operations.Get(request.Number("id", 0))?.Stop();
        return request.AnswerAsync(StatusCodes.Status204NoContent);
    }
}
