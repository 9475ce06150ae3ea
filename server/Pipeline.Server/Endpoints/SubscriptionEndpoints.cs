using System.Globalization;
using Microsoft.AspNetCore.Http;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;
using Pipeline.Server.Settings;
using Pipeline.Subscriptions;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// <c>subscriptions</c>: creates, changes, lists, pauses, drops and deletes subscriptions. Their batches go over TCP.
/// </summary>
internal static class SubscriptionEndpoints
{
    /// <summary>Adds the endpoints.</summary>
    public static void Add(DatabaseRoutes routes)
    {
        routes.Add("PUT", "/subscriptions", DatabaseAccess.ReadWrite, PutAsync);
        routes.Add("POST", "/subscriptions/update", DatabaseAccess.ReadWrite, UpdateAsync);
        routes.Add("GET", "/subscriptions", DatabaseAccess.Read, ListAsync);
        routes.Add(
            "GET",
            "/subscriptions/state",
            DatabaseAccess.Read,
            request =>
                request.AnswerAsync(
                    StatusCodes.Status200OK,
                    answer => SubscriptionWire.Write(answer.Json, Named(request, "name"), request.Database.Id)
                )
        );
        routes.Add("DELETE", "/subscriptions", DatabaseAccess.ReadWrite, DeleteAsync);
        routes.Add("POST", "/subscriptions/drop", DatabaseAccess.ReadWrite, DropAsync);
        routes.Add("GET", "/task", DatabaseAccess.Read, GetTaskAsync);
        routes.Add("POST", "/admin/tasks/state", DatabaseAccess.Admin, SetStateAsync);
    }

    private static async Task PutAsync(DatabaseRequest request)
    {
        using var body = await request.ReadJsonAsync().ConfigureAwait(false);
        var asked = SubscriptionWire.Read(body.RootElement);
        var host = request.Served.Subscriptions;
        if (request.Text("id") is { Length: > 0 } id)
        {
            await ChangeAsync(request, SubscriptionWire.Find(host, ReadId(id)), asked).ConfigureAwait(false);
            return;
        }
        var name = asked.Name ?? SubscriptionWire.FreeName(host);
        await CreateAsync(request, name, asked).ConfigureAwait(false);
    }

    private static async Task CreateAsync(DatabaseRequest request, string name, SubscriptionWire.Asked asked)
    {
        var definition = new SubscriptionDefinition
        {
            Name = name,
            Query = asked.Query ?? throw new BadRequestException($"the subscription '{name}' has no 'Query'"),
            IsPaused = asked.Disabled ?? false,
        };
        await request
            .Served.Subscriptions.CreateAsync(definition, asked.Start ?? SubscriptionStart.Beginning, request.Aborted)
            .ConfigureAwait(false);
        await AnswerAsync(request, StatusCodes.Status201Created, name).ConfigureAwait(false);
    }

    private static async Task UpdateAsync(DatabaseRequest request)
    {
        using var body = await request.ReadJsonAsync().ConfigureAwait(false);
        var asked = SubscriptionWire.Read(body.RootElement);
        var host = request.Served.Subscriptions;
        if (asked.Id is { } id)
        {
            await ChangeAsync(request, SubscriptionWire.Find(host, id), asked).ConfigureAwait(false);
            return;
        }
        var name = asked.Name ?? throw new BadRequestException("an update needs 'Name' or 'Id'");
        if (asked.CreatesNew && !host.Names().Contains(name, StringComparer.OrdinalIgnoreCase))
            await CreateAsync(request, name, asked).ConfigureAwait(false);
        else
            await ChangeAsync(request, host.GetStatus(name)[0], asked).ConfigureAwait(false);
    }

    /// <summary>Changes a subscription; properties that the client omits stay unchanged.</summary>
    private static async Task ChangeAsync(
        DatabaseRequest request,
        SubscriptionStatus status,
        SubscriptionWire.Asked asked
    )
    {
        var host = request.Served.Subscriptions;
        var known = status.Definition;
        var isRenamed = false;
        if (asked.Name is { } name && !name.Equals(known.Name, StringComparison.OrdinalIgnoreCase))
        {
            await host.RenameAsync(known.Name, name, request.Aborted).ConfigureAwait(false);
            known = known with { Name = name };
            isRenamed = true;
        }
        var next = known with { IsPaused = asked.Disabled ?? known.IsPaused };
        if (asked.Query is { } query && query != known.Query)
        {
            next = next with
            {
                Query = query,
                Collections = null,
                Filter = null,
                Projection = null,
                Deletes = false,
                Revisions = false,
            };
        }

        if (next == known && asked.Start is null && !isRenamed)
        {
            await request.AnswerAsync(StatusCodes.Status304NotModified).ConfigureAwait(false);
            return;
        }
        if (next != known)
            await host.UpdateAsync(next, request.Aborted).ConfigureAwait(false);
        if (asked.Start is { } start)
            await host.MoveAsync(known.Name, start, request.Aborted).ConfigureAwait(false);
        await AnswerAsync(request, StatusCodes.Status201Created, known.Name).ConfigureAwait(false);
    }

    private static Task ListAsync(DatabaseRequest request)
    {
        IReadOnlyList<SubscriptionStatus> found = request.Text("name") is { Length: > 0 }
            ? [Named(request, "name")]
            :
            [
                .. request
                    .Served.Subscriptions.GetStatus()
                    .Skip((int)Math.Min(int.MaxValue, request.Number("start", 0)))
                    .Take((int)Math.Min(int.MaxValue, request.Number("pageSize", int.MaxValue))),
            ];
        return request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                answer.Json.WriteStartObject();
                answer.Json.WriteStartArray("Results");
                foreach (var status in found)
                    SubscriptionWire.Write(answer.Json, status, request.Database.Id);
                answer.Json.WriteEndArray();
                answer.Json.WriteEndObject();
            }
        );
    }

    private static async Task DeleteAsync(DatabaseRequest request)
    {
        await request
            .Served.Subscriptions.DeleteAsync(request.Required("taskName"), request.Aborted)
            .ConfigureAwait(false);
        await request.AnswerAsync(StatusCodes.Status204NoContent).ConfigureAwait(false);
    }

    private static Task DropAsync(DatabaseRequest request)
    {
        var name = request.Text("name") is { Length: > 0 } given
            ? given
            : SubscriptionWire.Find(request.Served.Subscriptions, ReadId(request.Required("id"))).Name;
        request.Served.Subscriptions.Drop(name, request.Text("workerId"));
        return request.AnswerAsync(StatusCodes.Status204NoContent);
    }

    /// <summary>Describes a subscription as one of the database's tasks.</summary>
    private static Task GetTaskAsync(DatabaseRequest request)
    {
        var type = request.Required("type");
        if (type != "Subscription")
        {
            throw new UnsupportedException(
                $"a task of type {type}",
                "tasks of this worker are defined in its configuration"
            );
        }

        var host = request.Served.Subscriptions;
        var status = request.Text("taskName") is { Length: > 0 } name
            ? host.GetStatus(name)[0]
            : SubscriptionWire.Find(host, ReadId(request.Required("key")));
        return request.AnswerAsync(
            StatusCodes.Status200OK,
            answer =>
            {
                answer.Json.WriteStartObject();
                answer.Json.WriteNumber("TaskId", SubscriptionWire.Id(status.Name));
                answer.Json.WriteString("TaskType", type);
                answer.Json.WriteString("TaskName", status.Name);
                answer.Json.WriteString("TaskState", status.Definition.IsPaused ? "Disabled" : "Enabled");
                answer.Json.WriteStartObject("ResponsibleNode");
                answer.Json.WriteString("NodeTag", "A");
                answer.Json.WriteString("NodeUrl", ServerEndpoints.UrlOf(request.Context));
                answer.Json.WriteEndObject();
                SubscriptionWire.WriteState(answer.Json, status, request.Database.Id);
                answer.Json.WriteEndObject();
            }
        );
    }

    private static async Task SetStateAsync(DatabaseRequest request)
    {
        var type = request.Required("type");
        if (type != "Subscription")
        {
            throw new UnsupportedException(
                $"the state of a task of type {type}",
                "tasks of this worker are defined in its configuration"
            );
        }

        var host = request.Served.Subscriptions;
        var name = request.Text("taskName") is { Length: > 0 } given
            ? given
            : SubscriptionWire.Find(host, ReadId(request.Required("key"))).Name;
        if (request.Flag("disable"))
            await host.PauseAsync(name, request.Aborted).ConfigureAwait(false);
        else
            await host.ResumeAsync(name, request.Aborted).ConfigureAwait(false);
        await request
            .AnswerAsync(
                StatusCodes.Status200OK,
                answer =>
                {
                    answer.Json.WriteStartObject();
                    answer.Json.WriteNumber("TaskId", SubscriptionWire.Id(name));
                    answer.Json.WriteNumber("RaftCommandIndex", 1);
                    answer.Json.WriteString("ResponsibleNode", "A");
                    answer.Json.WriteEndObject();
                }
            )
            .ConfigureAwait(false);
    }

    private static SubscriptionStatus Named(DatabaseRequest request, string parameter) =>
        request.Served.Subscriptions.GetStatus(request.Required(parameter))[0];

    private static long ReadId(string text) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var id)
            ? id
            : throw new BadRequestException($"'{text}' is not the id of a subscription");

    private static Task AnswerAsync(DatabaseRequest request, int status, string name) =>
        request.AnswerAsync(
            status,
            answer =>
            {
                answer.Json.WriteStartObject();
                answer.Json.WriteString("Name", name);
                answer.Json.WriteNumber("RaftCommandIndex", 1);
                answer.Json.WriteEndObject();
            }
        );
}
