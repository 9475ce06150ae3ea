using System.Globalization;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;
using Pipeline.Documents;
using Pipeline.Server.Errors;
using Pipeline.Server.Protocol;
using Pipeline.Server.Settings;

namespace Pipeline.Server.Endpoints;

/// <summary><c>attachments</c>: documents' files, uploaded and downloaded as streams.</summary>
internal static class AttachmentEndpoints
{
    private const string DefaultType = "application/octet-stream";

    /// <summary>Adds the endpoints.</summary>
    public static void Add(DatabaseRoutes routes)
    {
        routes.Add("GET", "/attachments", DatabaseAccess.Read, GetAsync);
        routes.Add("HEAD", "/attachments", DatabaseAccess.Read, GetAsync);
        routes.Add("PUT", "/attachments", DatabaseAccess.ReadWrite, PutAsync);
        routes.Add("DELETE", "/attachments", DatabaseAccess.ReadWrite, DeleteAsync);
        routes.Add("POST", "/attachments", DatabaseAccess.Read, GetOfVersionAsync);
    }

    private static async Task GetAsync(DatabaseRequest request)
    {
        using var content = request.Database.Attachments.Open(request.Required("id"), request.Required("name"));
        if (content is null)
        {
            await request.AnswerAsync(StatusCodes.Status404NotFound).ConfigureAwait(false);
            return;
        }
        var response = request.Context.Response;
        response.Headers["Attachment-Hash"] = content.Info.Hash;
        response.Headers["Attachment-Size"] = content.Info.Size.ToString(CultureInfo.InvariantCulture);
        if (request.IsKnown(content.Info.ChangeVector) || HttpMethods.IsHead(request.Context.Request.Method))
            return;
        // A type stored before types were checked may not be a valid header.
        response.ContentType =
            content.Info.ContentType.Length > 0 && Attachment.IsContentType(content.Info.ContentType)
                ? content.Info.ContentType
                : DefaultType;
        response.ContentLength = content.Info.Size;
        var disposition = new ContentDispositionHeaderValue("attachment");
        disposition.SetHttpFileName(content.Info.Name);
        response.Headers.ContentDisposition = disposition.ToString();
        await content.Stream.CopyToAsync(response.Body, request.Aborted).ConfigureAwait(false);
    }

    /// <summary>
    /// Sends an attachment as a version of its document has it. Contents are kept only for current versions, so a
    /// former version has none.
    /// </summary>
    private static async Task GetOfVersionAsync(DatabaseRequest request)
    {
        using var body = await request.ReadJsonAsync().ConfigureAwait(false);
        var (type, vector) = (Text("Type"), Text("ChangeVector"));
        if (type == "Revision" && string.IsNullOrEmpty(vector))
        {
            throw new BadRequestException(
                "an attachment of a revision is asked for with the 'ChangeVector' of the revision"
            );
        }

        if (type == "Revision")
        {
            using var snapshot = request.Database.OpenSnapshot("attachments");
            if (snapshot.Find(request.Required("id"))?.ChangeVector != vector)
            {
                await request.AnswerAsync(StatusCodes.Status404NotFound).ConfigureAwait(false);
                return;
            }
        }
        await GetAsync(request).ConfigureAwait(false);

        string? Text(string name) =>
            body.RootElement.ValueKind == JsonValueKind.Object
            && body.RootElement.TryGetProperty(name, out var value)
            && value.ValueKind == JsonValueKind.String
                ? value.GetString()
                : null;
    }

    private static async Task PutAsync(DatabaseRequest request)
    {
        request.LiftBodyLimit();
        Attachment made;
        try
        {
            made = await request
                .Database.Attachments.PutAsync(
                    request.Required("id"),
                    request.Required("name"),
                    request.Context.Request.Body,
                    request.Text("contentType"),
                    request.ExpectedChangeVector,
                    request.Aborted
                )
                .ConfigureAwait(false);
        }
        catch
        {
            await RequestBody.SkipAsync(request.Context).ConfigureAwait(false);
            throw;
        }

        await request
            .AnswerAsync(
                StatusCodes.Status201Created,
                answer =>
                {
                    answer.Json.WriteStartObject();
                    Write(answer.Json, made);
                    answer.Json.WriteString("DocumentId", made.DocumentId);
                    answer.Json.WriteEndObject();
                }
            )
            .ConfigureAwait(false);
    }

    private static async Task DeleteAsync(DatabaseRequest request)
    {
        await request
            .Database.Attachments.DeleteAsync(
                request.Required("id"),
                request.Required("name"),
                request.ExpectedChangeVector,
                request.Aborted
            )
            .ConfigureAwait(false);
        await request.AnswerAsync(StatusCodes.Status204NoContent).ConfigureAwait(false);
    }

    /// <summary>Writes an attachment's metadata.</summary>
    public static void Write(System.Text.Json.Utf8JsonWriter json, Attachment attachment)
    {
        json.WriteString("Name", attachment.Name);
        WriteContent(json, attachment);
    }

    /// <summary>Does the same as <see cref="Write"/>, without the name.</summary>
    public static void WriteContent(System.Text.Json.Utf8JsonWriter json, Attachment attachment)
    {
        json.WriteString("Hash", attachment.Hash);
        json.WriteString("ContentType", attachment.ContentType);
        json.WriteNumber("Size", attachment.Size);
        json.WriteString("ChangeVector", attachment.ChangeVector);
    }
}
