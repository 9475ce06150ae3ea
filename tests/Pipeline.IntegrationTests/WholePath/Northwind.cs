using System.Text.Json.Nodes;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.IntegrationTests.WholePath;

/// <summary>One message that must arrive, computed from the documents' file by plain System.Text.Json.</summary>
/// <param name="Destination">Topic or queue.</param>
/// <param name="Key">The key.</param>
/// <param name="Body">The body.</param>
/// <param name="Id">The CloudEvents id, without the database's id before it.</param>
/// <param name="Source">The CloudEvents source.</param>
/// <param name="Type">The CloudEvents type.</param>
/// <param name="Subject">The document's id.</param>
internal sealed record Expected(
    string Destination,
    string? Key,
    JsonNode Body,
    string Id,
    string Source,
    string Type,
    string Subject
);

/// <summary>The Northwind documents, three tasks over them, and what those must send.</summary>
internal static class Northwind
{
    /// <summary>Tasks as a user writes them: a filter, a fan-out, an enrichment from another document.</summary>
    public static string Tasks(string suffix) =>
        $$"""
            etl:
              - name: big-orders
                from: [Orders]
                to: target
                transform: |
                  var total = doc.Lines.Sum(l => l.PricePerUnit * l.Quantity * (1 - l.Discount));
                  if (total < 500) return;
                  send("big-orders-{{suffix}}", new { Id = id, doc.Company, doc.ShipTo.Country, Total = Math.Round(total, 2) }, key: doc.Company);
              - name: order-lines
                from: [Orders]
                to: target
                type: order.line
                transform: |
                  foreach (var line in doc.Lines)
                    send("order-lines-{{suffix}}", new { Order = id, line.Product, line.Quantity }, key: line.Product, source: "/shop");
              - name: shipments
                from: [Orders]
                to: target
                transform: |
                  var company = load(doc.Company);
                  send("shipments-{{suffix}}", new { Order = id, To = company.Name, company.Address.Country, doc.ShippedAt }, type: "shipment");
            """;

    public static string File { get; } =
        new[] { "samples/Quickstart/northwind.jsonl", "../shared/data/northwind.jsonl" }
            .Select(f => Path.GetFullPath(f, RepositoryTree.Root))
            .FirstOrDefault(System.IO.File.Exists)
        ?? throw new SkipException("no northwind.jsonl in samples/Quickstart");

    public static List<JsonNode> Documents() => [.. System.IO.File.ReadLines(File).Select(l => JsonNode.Parse(l)!)];

    public static string Id(JsonNode document) => document["@metadata"]!["@id"]!.GetValue<string>();

    /// <summary>All messages, in the order of the documents.</summary>
    public static List<Expected> Messages(string suffix)
    {
        var documents = Documents();
        var byId = documents.ToDictionary(Id, StringComparer.OrdinalIgnoreCase);
        var all = new List<Expected>();
        for (var i = 0; i < documents.Count; i++)
        {
            var document = documents[i];
            if (document["@metadata"]!["@collection"]!.GetValue<string>() != "Orders")
                continue;
            var (id, position) = (Id(document), i + 1);
            var lines = document["Lines"]!.AsArray();
            var total = lines.Sum(l =>
                Number(l!, "PricePerUnit") * Number(l!, "Quantity") * (1 - Number(l!, "Discount"))
            );
            if (total >= 500)
            {
                all.Add(
                    new Expected(
                        "big-orders-" + suffix,
                        document["Company"]!.GetValue<string>(),
                        new JsonObject
                        {
                            ["Id"] = id,
                            ["Company"] = document["Company"]!.DeepClone(),
                            ["Country"] = document["ShipTo"]!["Country"]?.DeepClone(),
                            ["Total"] = Math.Round(total, 2),
                        },
                        $"big-orders/{position}/0",
                        "/databases/shop/etl/big-orders",
                        "pipeline.document.put",
                        id
                    )
                );
            }

            for (var n = 0; n < lines.Count; n++)
            {
                all.Add(
                    new Expected(
                        "order-lines-" + suffix,
                        lines[n]!["Product"]!.GetValue<string>(),
                        new JsonObject
                        {
                            ["Order"] = id,
                            ["Product"] = lines[n]!["Product"]!.DeepClone(),
                            ["Quantity"] = lines[n]!["Quantity"]!.DeepClone(),
                        },
                        $"order-lines/{position}/{n}",
                        "/shop",
                        "order.line",
                        id
                    )
                );
            }

            var company = byId[document["Company"]!.GetValue<string>()];
            all.Add(
                new Expected(
                    "shipments-" + suffix,
                    null,
                    new JsonObject
                    {
                        ["Order"] = id,
                        ["To"] = company["Name"]!.DeepClone(),
                        ["Country"] = company["Address"]!["Country"]?.DeepClone(),
                        ["ShippedAt"] = document["ShippedAt"]?.DeepClone(),
                    },
                    $"shipments/{position}/0",
                    "/databases/shop/etl/shipments",
                    "shipment",
                    id
                )
            );
        }

        return all;
    }

    private static decimal Number(JsonNode line, string property) =>
        decimal.Parse(
            line[property]!.ToJsonString(),
            System.Globalization.NumberStyles.Float,
            System.Globalization.CultureInfo.InvariantCulture
        );
}
